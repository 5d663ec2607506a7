// How often the thread of JavaScript is woken, by the kernel's own count (proc(5), voluntary_ctxt_switches).
import { describe, expect, test } from 'vitest';
import { runHost } from '../helpers/host.ts';

const RUNS = 200;

describe.runIf(process.platform === 'linux')('the loop is woken once for each run, with containment', () => {
  test.each(['tree', 'group'])('%s', async (containment) => {
    const end = await runHost(`const { readFileSync } = await import('node:fs');
      const sleeps = () => Number(/\\nvoluntary_ctxt_switches:\\s*(\\d+)/.exec(
        readFileSync('/proc/self/task/' + process.pid + '/status', 'utf8'))[1]);
      const some = async (count) => {
        for (let i = 0; i < count; i++) await run(['true'], { containment: '${containment}' });
      };
      await some(20);
      const before = sleeps();
      await some(${RUNS});
      console.log(sleeps() - before);`);
    expect(end.stderr).toBe('');
    // The end of a child, signalled to a thread that wants no signal, made it 1.6.
    expect(Number(end.stdout) / RUNS).toBeLessThan(1.35);
  });
});
