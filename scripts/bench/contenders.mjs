// Who is compared, behind one shape: `run` collects stdout and stderr of one program and resolves with stdout's length.
//
// Nothing is imported before it is asked for, so that a contender's process holds that contender alone.

const collect = (child) =>
  new Promise((resolve, reject) => {
    let bytes = 0;
    const chunks = [];
    child.on('error', reject);
    child.stdout.on('data', (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
    });
    child.stderr.resume();
    child.on('close', () => resolve(Buffer.concat(chunks, bytes).length));
  });

async function argvSpawn(containment) {
  const { run, runSync } = await import('../../dist/index.js');
  const options = { containment, encoding: 'buffer', maxBuffer: Infinity };
  return {
    run: async (argv) => (await run(argv, options)).stdout.length,
    runSync: (argv) => runSync(argv, options).stdout.length,
  };
}

export const CONTENDERS = {
  child_process: async () => {
    const { spawn, spawnSync } = await import('node:child_process');
    return {
      run: ([file, ...args]) => collect(spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })),
      runSync: ([file, ...args]) => spawnSync(file, args, { maxBuffer: Infinity }).stdout.length,
    };
  },
  'argv-spawn': () => argvSpawn('tree'),
  'argv-spawn (group)': () => argvSpawn('group'),
};

/** The first is what the others are divided by. */
export const BASELINE = 'child_process';
