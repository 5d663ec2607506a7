// npm runs `prebuild` before a script that is called `build`: no name of a script may do that by accident.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

test('no script runs because of its name', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const names = Object.keys((JSON.parse(text) as Manifest).scripts);
  const OWN = ['install', 'prepare', 'publish', 'pack', 'version', 'test', 'start', 'stop', 'restart'];
  const hooks = names.filter((name) => {
    const target = /^(?:pre|post)(.+)$/.exec(name)?.[1];
    return target !== undefined && (names.includes(target) || OWN.includes(target));
  });
  expect(hooks).toEqual([]);
});
