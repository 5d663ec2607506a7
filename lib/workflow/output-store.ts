// Outputs too long for a line of the journal: files named by the SHA-256 of their content, shared by all runs of a folder.

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalError } from './errors.ts';
import type { RecordedOutput } from './journal-record.ts';

/** Characters that stay in the journal, where people read them. */
const INLINE = 4096;

export class OutputStore {
  readonly #folder: string;

  constructor(journal: string) {
    this.#folder = join(journal, 'outputs');
  }

  /** Resolves when the content is on disk. */
  async put(output: string | Buffer): Promise<RecordedOutput> {
    if (output.length <= INLINE)
      return typeof output === 'string' ? { text: output } : { base64: output.toString('base64') };
    const bytes = Buffer.from(output as string);
    const file = createHash('sha256').update(bytes).digest('hex');
    await this.#write(file, bytes).catch((cause: unknown) => {
      throw new JournalError('ERR_JOURNAL_WRITE', join(this.#folder, file), 'an output cannot be written', cause);
    });
    return { file, bytes: bytes.length, encoding: typeof output === 'string' ? 'text' : 'bytes' };
  }

  async #write(file: string, bytes: Buffer): Promise<void> {
    const path = join(this.#folder, file);
    const there = await stat(path).catch(() => null);
    if (there?.size === bytes.length) return;
    await mkdir(this.#folder, { recursive: true });
    const draft = join(this.#folder, `.draft.${randomUUID()}`);
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  }

  /** @throws JournalError `ERR_JOURNAL_OUTPUT` when the content is not what was recorded. */
  async get(output: RecordedOutput): Promise<string | Buffer> {
    if ('text' in output) return output.text;
    if ('base64' in output) return Buffer.from(output.base64, 'base64');
    const path = join(this.#folder, output.file);
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw new JournalError('ERR_JOURNAL_OUTPUT', path, 'a recorded output cannot be read', cause);
    });
    if (createHash('sha256').update(bytes).digest('hex') !== output.file) {
      throw new JournalError('ERR_JOURNAL_OUTPUT', path, 'a recorded output is not what was recorded');
    }
    return output.encoding === 'text' ? bytes.toString('utf8') : bytes;
  }
}
