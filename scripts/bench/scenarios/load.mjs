// What it costs to import a contender, and what it takes on the disk.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { now } from '../clocks.mjs';

function timed(file) {
  const started = now();
  const out = execFileSync(process.execPath, [file], { encoding: 'utf8' });
  return { whole: now() - started, inside: Number(out) };
}

async function load(contender, { count }, helpers, { entry, use = '', size }) {
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-bench-'));
  try {
    const program = (name, body) => {
      const file = join(folder, `${name}.mjs`);
      writeFileSync(file, body);
      return file;
    };
    const empty = program('empty', 'console.log(0);\n');
    const loading = program('load', `import * as all from ${JSON.stringify(entry)};\n${use}\nconsole.log(0);\n`);
    const inside = program(
      'inside',
      `const started = performance.now();\nconst all = await import(${JSON.stringify(entry)});\n${use}\nconsole.log(performance.now() - started);\n`,
    );
    const [over, imports] = [[], []];
    for (let i = -1; i < count; i++) {
      const without = timed(empty).whole;
      const difference = timed(loading).whole - without;
      const took = timed(inside).inside;
      if (i < 0) continue; // the files are read for the first time
      over.push(difference);
      imports.push(took);
    }
    const { installed, binaries } = await size();
    return {
      over_empty_ms: over,
      import_ms: imports,
      installed_kib: [installed / 1024],
      ...(binaries ? { binaries_kb: [binaries / 1000] } : {}),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export default {
  load: {
    letter: 'G',
    needs: 'load',
    title: 'import',
    run: load,
    metrics: {
      over_empty_ms: { title: 'a program that imports it, over an empty one', unit: 'ms' },
      import_ms: { title: 'time in the import', unit: 'ms' },
      installed_kib: { title: 'size on the disk, dependencies included', unit: 'KiB' },
      binaries_kb: { title: 'binaries for one platform', unit: 'kB' },
    },
    full: { count: 30 },
    quick: { count: 1 },
  },
};
