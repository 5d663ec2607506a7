// What a scan costs, by the size of its text. Prints a table; exit code 1 when the median for 126 bytes is 500 µs or more.
//
// usage: node scripts/bench/scan.mjs

import { scan } from '../../dist/shell.js';

const COMMANDS = {
  '28 B': 'git status --short -b ./src ',
  '126 B': `cd "$HOME/src" && git log --oneline -n 20 | grep -v 'merge' > /tmp/log.txt 2>&1; [ -f package.json ] && npm test -- --run $x`,
  '1 KB': Array.from(
    { length: 8 },
    (_, i) =>
      `for f in a${i} b; do sed -n "s/x/$f/p" "$f" | sort -u > "out ${i}"; done; bash -c 'ls -l | wc -l' || echo "$(date +%s) failed" >> log`,
  ).join('\n'),
  argv: null,
};
const WARM_UP = 2000;
const RUNS = 5000;

const medianOf = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

let slow = false;
for (const [name, command] of Object.entries(COMMANDS)) {
  const request = command === null ? { argv: ['git', 'log', '--oneline'] } : { mode: 'shell', shell: 'bash', command };
  const started = performance.now();
  scan(request);
  const first = performance.now() - started;
  for (let i = 0; i < WARM_UP; i++) scan(request);
  const times = [];
  for (let i = 0; i < RUNS; i++) {
    const before = process.hrtime.bigint();
    scan(request);
    times.push(Number(process.hrtime.bigint() - before) / 1000);
  }
  const median = medianOf(times);
  const p99 = times[Math.floor(times.length * 0.99)];
  console.log(
    `${name.padEnd(6)} ${String(command?.length ?? 0).padStart(5)} characters  median ${median.toFixed(0).padStart(5)} µs  p99 ${p99.toFixed(0).padStart(5)} µs  first ${(first * 1000).toFixed(0)} µs`,
  );
  if (name === '126 B' && median >= 500) slow = true;
}
process.exit(slow ? 1 : 0);
