// A short tour: starts real programs, prints what happened, and fails when something is not as promised.
//
// usage: npm start

import { isSpawnError, platform, run, spawn } from '../dist/index.js';

const NODE = process.execPath;
let broken = 0;

function show(title, facts, holds) {
  console.log(`\n${holds ? 'ok    ' : 'BROKEN'} ${title}`);
  for (const [name, value] of Object.entries(facts)) {
    console.log(`       ${name.padEnd(12)} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
  if (!holds) broken++;
}

async function showArguments() {
  const hostile = [
    '',
    ' two  words ',
    '$(rm -rf ~)',
    "it's",
    '"quoted"',
    '*.md',
    '; reboot',
    'a\nb',
    '\\',
    '-n',
    '日本語 ✓',
  ];
  const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const { stdout, ok } = await run([NODE, '-e', script, '--', ...hostile]);
  show(
    'hostile arguments arrive exactly',
    { sent: hostile, received: stdout },
    ok && stdout === JSON.stringify(hostile),
  );
}

async function showStdin() {
  const text = 'literal $HOME `id` \\n\nlast line without an end';
  const { stdout, stdin } = await run(['cat'], { stdin: text });
  show('stdin is written as it is, then closed', { text: JSON.stringify(stdout), written: stdin }, stdout === text);
  const early = await run(['head', '-c', '5'], { stdin: 'x'.repeat(1_000_000) });
  show(
    'a program that stops reading is not a failure',
    { stdout: early.stdout, code: early.code, stdin: early.stdin },
    early.ok && early.stdout === 'xxxxx' && early.stdin.closedEarly,
  );
}

async function showTimeout() {
  const stubborn = "trap '' TERM; (trap '' TERM; sleep 1000) & echo started; while :; do sleep 1; done";
  const result = await run(['sh', '-c', stubborn], { timeout: 400, forceKillAfter: 300 });
  const { reason, forced, signal, stdout, durationMs, containment, leftovers } = result;
  const alive = leftovers.filter(({ fate }) => fate !== 'ended');
  show(
    'a timeout ends a tree that ignores SIGTERM',
    {
      reason,
      forced,
      signal,
      stdout: JSON.stringify(stdout),
      durationMs: Math.round(durationMs),
      containment,
      leftovers,
    },
    reason === 'timeout' && forced && stdout === 'started\n' && alive.length === 0,
  );
}

async function showBackground() {
  const result = await run(['sh', '-c', 'sleep 1000 & echo done']);
  show(
    'a background process does not hold the call',
    { stdout: JSON.stringify(result.stdout), durationMs: Math.round(result.durationMs), leftovers: result.leftovers },
    result.stdout === 'done\n' && result.durationMs < 5000,
  );
}

async function showFirehose() {
  const before = process.memoryUsage.rss();
  const result = await run(['yes', 'spam'], { timeout: 1000, maxBuffer: 64 * 1024 });
  const { bytes, kept, omitted } = result.capture.stdout;
  const grownMiB = Math.round((process.memoryUsage.rss() - before) / 2 ** 20);
  show(
    'a firehose is drained, counted and cut',
    { bytes, kept, omitted, grownMiB },
    kept === 64 * 1024 && bytes > kept && bytes === kept + omitted && grownMiB < 64,
  );
}

async function showLines() {
  const child = spawn(['sh', '-c', 'echo one; echo two >&2; printf three']);
  const lines = [];
  for await (const { stream, text, ended } of child.lines()) lines.push(`${stream}:${text}${ended ? '' : ' (no end)'}`);
  const { code } = await child.exited;
  show('output as lines, while it runs', { lines, code }, code === 0 && lines.length === 3);
}

async function showErrors() {
  for (const [argv, options, code] of [
    [['no-such-program'], {}, 'ENOENT'],
    [['true'], { cwd: '/no/such/folder' }, 'ENOENT'],
    [['true', 'x'.repeat(200_000)], {}, 'E2BIG'],
  ]) {
    const error = await run(argv, options).catch((reason) => reason);
    show('a start that fails says why', { error: error.message }, isSpawnError(error) && error.code === code);
  }
  const wrong = await run(['true'], { timeuot: 5 }).catch((reason) => reason);
  show('so does a wrong option', { error: wrong.message }, wrong instanceof TypeError);
}

async function main() {
  console.log(
    `argv-spawn on ${platform.os}: ${platform.engine}, containment '${platform.tree}', Node ${process.version}`,
  );
  await showArguments();
  await showStdin();
  await showTimeout();
  await showBackground();
  await showFirehose();
  await showLines();
  await showErrors();
  console.log(broken === 0 ? '\nEverything is as promised.' : `\n${broken} not as promised.`);
  process.exitCode = broken === 0 ? 0 : 1;
}

void main();
