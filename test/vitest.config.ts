import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Elsewhere than on Linux and macOS there is no /proc and no sh: what runs there uses the fixture program only.
const include =
  process.platform === 'win32'
    ? ['args/**/*.test.ts', 'portable/**/*.test.ts', 'windows/**/*.test.ts']
    : ['**/*.test.ts'];
const exclude = process.platform === 'win32' ? [] : ['windows/**'];

// Processes are started for real, so the files share two workers, each in a process of its own.
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('.', import.meta.url)),
    include,
    exclude,
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
