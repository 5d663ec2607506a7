// Which signals our threads leave open, by the kernel's own record (proc(5), SigBlk).
import { expect, test } from 'vitest';
import { runHost } from '../helpers/host.ts';

// Signals of signal(7), bit n - 1 of the mask.
const SIGCHLD = 17;
const HANDLED_BY_HOSTS = [1, 2, 10, 12, 13, 15, 28]; // SIGHUP, SIGINT, SIGUSR1, SIGUSR2, SIGPIPE, SIGTERM, SIGWINCH

test.runIf(process.platform === 'linux')(
  'a thread that starts programs leaves SIGCHLD open, else JavaScript is woken for each; all else is blocked',
  async () => {
    const end = await runHost(`
      import { readdirSync, readFileSync } from 'node:fs';
      await run(['true']);
      const threads = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/status', 'latin1'));
      const read = (status, field) => new RegExp('^' + field + ':\\\\s*(.*)$', 'm').exec(status)[1];
      console.log(JSON.stringify(threads.map((status) => [read(status, 'Name'), read(status, 'SigBlk')])));`);
    expect(end.stderr).toBe('');
    const ours = (JSON.parse(end.stdout) as [string, string][]).filter(([name]) => name.startsWith('argv-spawn'));
    expect(new Set(ours.map(([name]) => name))).toEqual(new Set(['argv-spawn', 'argv-spawn-exec']));
    const isBlocked = (mask: string, signal: number): boolean =>
      ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
    for (const [name, mask] of ours) {
      expect([name, isBlocked(mask, SIGCHLD)]).toEqual([name, name === 'argv-spawn']);
      expect(HANDLED_BY_HOSTS.filter((signal) => !isBlocked(mask, signal))).toEqual([]);
    }
  },
);
