// The TypeScript in the documents: fenced blocks that begin with ```ts.
//
//   ```ts            is compiled
//   ```ts run        is compiled and run; with lines `// prints ...` they are all that it prints
//   ```ts before     and ```ts after: compiled, run, and both print the same
//
// A comment `<!-- given: declare const name: string; -->` before a block is put before its text.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  readonly document: string;
  /** Of the fence, from 1. */
  readonly line: number;
  /** Empty, `run`, `before` or `after`. */
  readonly kind: string;
  readonly given: string;
  readonly text: string;
}

const list = (folder: string, pattern: RegExp): string[] =>
  readdirSync(ROOT + folder, { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll('\\', '/')}`)
    .filter((name) => pattern.test(name));

export const DOCUMENTS: readonly string[] = ['README.md', ...list('lib', /\.(md|txt)$/)];
export const EXAMPLES: readonly string[] = list('test/examples', /\.ts$/);

export function readBlocks(document: string): Block[] {
  const blocks: Block[] = [];
  const lines = readFileSync(ROOT + document, 'utf8').split('\n');
  let given = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fence = /^ *```(\w+)?\s*(\w*)$/.exec(line);
    if (fence === null) {
      const comment = /^<!-- given: (.*) -->$/.exec(line);
      if (comment !== null) given = `${comment[1] ?? ''}\n`;
      else if (line !== '') given = '';
      continue;
    }
    const end = lines.findIndex((one, index) => index > at && /^ *```$/.test(one));
    if (end < 0) throw new Error(`${document}:${at + 1} opens a block that nothing closes`);
    if (fence[1] === 'ts') {
      const text = `${lines.slice(at + 1, end).join('\n')}\n`;
      blocks.push({ document, line: at + 1, kind: fence[2] ?? '', given, text });
    }
    given = '';
    at = end;
  }
  return blocks;
}

/** The file of an example as one block that runs. */
export const readExample = (path: string): Block => ({
  document: path,
  line: 0,
  kind: 'run',
  given: '',
  text: readFileSync(ROOT + path, 'utf8'),
});

/** What `tsc --strict` says about the blocks, each as a module of its own that imports the package by name. */
export function checkTypes(blocks: readonly Block[]): string[] {
  const { config } = ts.readConfigFile(`${ROOT}test/tsconfig.json`, (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const base = ts.readConfigFile(`${ROOT}lib/tsconfig.json`, (path) => ts.sys.readFile(path)).config as typeof config;
  const { options } = ts.parseJsonConfigFileContent(
    {
      compilerOptions: {
        ...base.compilerOptions,
        ...config.compilerOptions,
        rootDir: '..',
        noUnusedLocals: false,
        paths: { 'argv-spawn': ['../lib/index.ts'], 'argv-spawn/*': ['../lib/*.ts'] },
      },
      files: [],
    },
    ts.sys,
    `${ROOT}test`,
  );
  const sources = new Map(
    blocks.map((block, index) => [
      `${ROOT}test/documents/block-${index}.ts`,
      { block, text: block.given + block.text },
    ]),
  );
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => sources.has(path) || disk.fileExists(path),
    readFile: (path) => sources.get(path)?.text ?? disk.readFile(path),
    getSourceFile: (path, ...rest) => {
      const source = sources.get(path);
      if (source === undefined) return disk.getSourceFile(path, ...rest);
      return ts.createSourceFile(path, `${source.text}\nexport {};\n`, ts.ScriptTarget.ES2022);
    },
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources].flatMap(([path, { block }]) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map((one) => {
      const before = block.given === '' ? 0 : 1;
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(one.start ?? 0).line;
      return `${block.document}:${block.line + line + 1 - before} ${ts.flattenDiagnosticMessageText(one.messageText, ' ')}`;
    });
  });
}

/** What a block says it prints; null when it says nothing. */
export function findPromise(block: Block): string | null {
  const lines = [...block.text.matchAll(/\/\/ prints (.*)$/gm)].map(([, text]) => text);
  return lines.length === 0 ? null : `${lines.join('\n')}\n`;
}

export const toJavaScript = (block: Block): string =>
  ts.transpileModule(block.text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    },
  }).outputText;
