// What a script of `runHost` can use besides the package: the helpers that need nothing but Node, as data URLs, since a
// host of Node 20 runs no TypeScript.

import { readFileSync } from 'node:fs';
import ts from 'typescript';

function toUrl(name: string): string {
  const source = readFileSync(new URL(name, import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, removeComments: true },
  });
  return `data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`;
}

/** To be put before a script: everything that processes.ts and until.ts export. */
export const HELPERS: string = `
  import { countChildren, countResources, findByCommand, isAlive, listOpen, readRss } from ${JSON.stringify(toUrl('./processes.ts'))};
  import { until } from ${JSON.stringify(toUrl('./until.ts'))};
`;
