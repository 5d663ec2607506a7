// What a person is shown before they say yes. Derived from the plan, and of a type that no request accepts: showing is
// one way.

import type { ExecutionPlan } from './plan.ts';

/**
 * Text to look at. Invisible and misleading characters (controls, direction marks, zero-width and unusual spaces) are
 * written as `\u{200b}`, and a backslash as `\\`, so that different values never look the same.
 */
export class DisplayText {
  readonly #shown: string;

  private constructor(shown: string) {
    this.#shown = shown;
    Object.freeze(this);
  }

  static of(value: string): DisplayText {
    return new DisplayText(showInvisible(value));
  }

  /** Words side by side, each in double quotes unless it is unmistakable without them. */
  static ofWords(words: readonly string[]): DisplayText {
    return new DisplayText(words.map(showWord).join(' '));
  }

  toString(): string {
    return this.#shown;
  }

  toJSON(): string {
    return this.#shown;
  }
}

const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|[\u2800\ufffc\ufffd]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function showInvisible(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replace(INVISIBLE, (one) => SHORT[one] ?? `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

function showWord(word: string): string {
  return /^[A-Za-z0-9_@%+:,./=-]+$/.test(word) ? word : `"${showInvisible(word).replaceAll('"', '\\"')}"`;
}

export interface Preview {
  readonly mode: ExecutionPlan['mode'];
  readonly backend: string;
  /** The whole call in one line; not shell syntax, and not to be run. */
  readonly line: DisplayText;
  /** Process mode: the parts one by one. Shell mode: null. */
  readonly program: DisplayText | null;
  readonly args: readonly DisplayText[] | null;
  /** The file that would run; null when it cannot be seen from here. */
  readonly file: DisplayText | null;
  /** Shell mode: what reads the line; null when it is not known. */
  readonly shell: DisplayText | null;
  readonly workdir: DisplayText | null;
  /** `none`, or the size; never the text. */
  readonly stdin: string;
  readonly env: readonly DisplayText[];
  /** Milliseconds; null = none. */
  readonly timeout: number | null;
}

export function preview(plan: ExecutionPlan): Preview {
  const { target, stdin } = plan;
  const argv = target.mode === 'process' ? target.argv : null;
  return Object.freeze({
    mode: plan.mode,
    backend: plan.backend.name,
    line: target.mode === 'process' ? DisplayText.ofWords(target.argv) : DisplayText.of(target.command),
    program: argv === null ? null : DisplayText.of(argv[0] ?? ''),
    args: argv === null ? null : Object.freeze(argv.slice(1).map((arg) => DisplayText.of(arg))),
    file: plan.file === null ? null : DisplayText.of(plan.file.realPath),
    shell: plan.shell === null ? null : DisplayText.of(plan.shell.path ?? plan.shell.id ?? ''),
    workdir: plan.workdir.used === null ? null : DisplayText.of(plan.workdir.used),
    stdin: stdin.present ? `${stdin.bytes} bytes` : 'none',
    env: Object.freeze(plan.envNames.map((name) => DisplayText.of(name))),
    timeout: plan.command.timeoutMs === 0 ? null : plan.command.timeoutMs,
  });
}
