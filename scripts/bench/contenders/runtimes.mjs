// The own interfaces of Bun and Deno. Their globals exist only in their processes.

import { heads, tails } from '../keep.mjs';

async function reduce(stream, kept) {
  for await (const chunk of stream) kept.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
  return kept.result();
}

export function bun() {
  const { Bun, Response } = globalThis;
  const pipes = { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' };
  const read = async (child) => {
    const [out] = await Promise.all([
      new Response(child.stdout).arrayBuffer(),
      new Response(child.stderr).arrayBuffer(),
      child.exited,
    ]);
    return Buffer.from(out);
  };
  const start = (argv) => read(Bun.spawn(argv, pipes));
  const input = (argv, data) => read(Bun.spawn(argv, { ...pipes, stdin: data }));
  const part = (argv, kept) => reduce(Bun.spawn(argv, { ...pipes, stderr: 'ignore' }).stdout, kept);
  return {
    start,
    startSync: (argv) => Bun.spawnSync(argv, pipes),
    capture: start,
    count: (argv) => part(argv, heads(0)),
    head: (argv, keep) => part(argv, heads(keep)),
    tail: (argv, keep) => part(argv, tails(keep)),
    sink: input,
    echo: input,
    hold: (argv) => {
      const child = Bun.spawn(argv, pipes);
      return { kill: () => child.kill('SIGKILL'), ended: child.exited };
    },
    tree: (argv) => {
      const child = Bun.spawn(argv, { ...pipes, detached: true });
      const over = read(child);
      return { end: () => (process.kill(-child.pid, 'SIGKILL'), over) };
    },
  };
}

export function deno() {
  const { Deno } = globalThis;
  const pipes = { stdin: 'null', stdout: 'piped', stderr: 'piped' };
  const command = ([file, ...args], more) => new Deno.Command(file, { args, ...pipes, ...more });
  const start = async (argv) => Buffer.from((await command(argv).output()).stdout.buffer);
  const part = (argv, kept) => reduce(command(argv, { stderr: 'null' }).spawn().stdout, kept);
  const input = async (argv, data) => {
    const child = command(argv, { stdin: 'piped' }).spawn();
    const over = child.output();
    const writer = child.stdin.getWriter();
    await writer.write(data);
    await writer.close();
    return Buffer.from((await over).stdout.buffer);
  };
  return {
    start,
    startSync: (argv) => command(argv).outputSync(),
    capture: start,
    count: (argv) => part(argv, heads(0)),
    head: (argv, keep) => part(argv, heads(keep)),
    tail: (argv, keep) => part(argv, tails(keep)),
    sink: input,
    echo: input,
    hold: (argv) => {
      const child = command(argv).spawn();
      const over = Promise.all([child.output()]);
      return { kill: () => child.kill('SIGKILL'), ended: over };
    },
    tree: (argv) => {
      const child = command(argv, { detached: true }).spawn();
      const over = child.output();
      return { end: () => (process.kill(-child.pid, 'SIGKILL'), over) };
    },
  };
}
