// argv-spawn, with one containment.

export async function argvSpawn(containment) {
  const { run, runSync, spawn } = await import('../../../dist/index.js');
  const base = { containment, encoding: 'buffer' };
  const all = { ...base, maxBuffer: Infinity };
  const part = (keep, maxBuffer) => ({ ...base, keep, maxBuffer });
  const counted = ({ stdout, capture }) => ({ bytes: capture.stdout.bytes, kept: stdout.length });
  return {
    start: (argv) => run(argv, all),
    startSync: (argv) => runSync(argv, all),
    capture: async (argv) => (await run(argv, all)).stdout,
    count: async (argv) => counted(await run(argv, part('head', 0))),
    head: async (argv, keep) => counted(await run(argv, part('head', keep))),
    tail: async (argv, keep) => counted(await run(argv, part('tail', keep))),
    sink: async (argv, data) => (await run(argv, { ...all, stdin: data })).stdout,
    echo: async (argv, data) => (await run(argv, { ...all, stdin: data })).stdout,
    hold: (argv) => {
      const child = spawn(argv, base);
      child.stdout.resume();
      child.stderr.resume();
      return { kill: () => child.kill('SIGKILL'), ended: child.exited };
    },
    tree: (argv) => {
      const child = spawn(argv, { ...base, forceKillAfter: 0 });
      const over = child.collect();
      return { end: async () => (await child.stop(), over) };
    },
  };
}
