// The project of real-programs.mjs, file by file: as text, since the checks of this repository must not read its faults.

export const PROJECT = {
  '.gitignore': String.raw`node_modules
out
dist
`,
  '.husky/pre-commit': String.raw`npx lint-staged --concurrent false
`,
  'broken.json': String.raw`{
  "compilerOptions": { "module": "NodeNext", "strict": true, "types": [] },
  "include": ["broken/*.ts"]
}
`,
  'broken/fails.test.js': String.raw`import { expect, test } from 'vitest';

test('fails', () => expect(1).toBe(2));
`,
  'broken/types.ts': String.raw`export const wrong: number = 'text';
`,
  'broken/unused.js': String.raw`const unused = 1;
`,
  'eslint.config.js': String.raw`export default [{ rules: { 'no-unused-vars': 'error' } }];
`,
  'index.html': String.raw`<!doctype html>
<script type="module" src="/src/main.js"></script>
`,
  'package.json': String.raw`{
  "name": "real-project",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "postinstall": "node -e \"require('fs').writeFileSync('installed.txt', 'by a script\\n')\"",
    "build": "tsc -p .",
    "lint": "eslint src",
    "test": "vitest run --root test",
    "bundle": "vite build --logLevel warn",
    "hooks": "husky"
  },
  "lint-staged": {
    "*.js": [
      "prettier --write",
      "eslint"
    ]
  },
  "devDependencies": {
    "eslint": "10.1.0",
    "husky": "9.1.7",
    "lint-staged": "16.4.0",
    "prettier": "3.6.2",
    "typescript": "6.0.3",
    "vite": "8.3.8",
    "vitest": "4.1.12"
  }
}
`,
  'src/main.js': String.raw`import { sum } from './sum.ts';

document.body.textContent = String(sum([1, 2, 3]));
`,
  'src/sum.ts': String.raw`export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
`,
  'src/unformatted.js': String.raw`export const   late = [1,2,3 ]
`,
  'test/starts.test.js': String.raw`import { execFileSync, spawn } from 'node:child_process';
import { expect, test } from 'vitest';

test('starts a program and waits', () => {
  expect(execFileSync('echo', ['one'], { encoding: 'utf8' })).toBe('one\n');
});

test('starts a program and reads it', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end('two');
  const chunks = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('two');
});
`,
  'tsconfig.json': String.raw`{
  "compilerOptions": { "outDir": "out", "rootDir": "src", "module": "NodeNext", "strict": true, "types": [], "declaration": true },
  "include": ["src/*.ts"]
}
`,
};
