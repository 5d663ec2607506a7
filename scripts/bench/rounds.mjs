// Running contenders: each in a process of its own, in random order in each round.

import { execFile } from 'node:child_process';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CONTENDERS } from './contenders/index.mjs';
import { helpers, prepare } from './peers.mjs';
import { SCENARIOS } from './scenarios/index.mjs';
import { shuffle } from './statistics.mjs';
import { neededForTargets } from './targets.mjs';

const ONE = fileURLToPath(new URL('one.mjs', import.meta.url));
const TIMEOUT = { full: 600_000, quick: 60_000 };
/** Contenders that no target of the scenario is about are there for the order of things. */
const ROUNDS_OF_OTHERS = 1;
const start = promisify(execFile);

/** Why a contender gives no numbers in a scenario; null when it does. */
export function reasonAgainst(scenario, contender, settings) {
  const { needs, program } = SCENARIOS[scenario];
  const { cannot, program: own } = CONTENDERS[contender];
  const reason = cannot[scenario] ?? cannot[needs];
  if (reason) return reason;
  if (own && !program) return 'not written for it';
  const wanted = (settings.resident ?? 0) + (settings.memory ?? 0);
  if (wanted * 1.25 > freemem()) return `refused: ${Math.round(freemem() / 2 ** 20)} MiB of memory are free`;
  return null;
}

async function measure(scenario, contender, settings, { realtime, timeout }) {
  const { command, program } = CONTENDERS[contender];
  const request = { scenario, contender, settings, helpers: helpers() };
  const args = program
    ? SCENARIOS[scenario].program(settings, request.helpers).map(String)
    : [ONE, JSON.stringify(request)];
  const [file, ...rest] = [...(realtime ? ['chrt', '--rr', '10'] : []), ...command, ...args];
  const { stdout } = await start(file, rest, { maxBuffer: 2 ** 26, timeout, killSignal: 'SIGKILL' });
  return JSON.parse(stdout);
}

/**
 * @returns one entry for each contender: `rounds` (a list of metric -> samples), `absent` (why there are none) and
 * `failed` (how a round broke off).
 */
export async function runScenario(scenario, contenders, { rounds, quick, realtime, onProgress }) {
  const { [quick ? 'quick' : 'full']: settings, rounds: most = Infinity } = SCENARIOS[scenario];
  const found = contenders.map((contender) => {
    const absent = reasonAgainst(scenario, contender, settings) ?? prepare(CONTENDERS[contender].need);
    return { contender, rounds: [], absent, failed: null };
  });
  const timeout = TIMEOUT[quick ? 'quick' : 'full'];
  const compared = neededForTargets().get(scenario) ?? new Set();
  const mostOf = ({ contender }) => (compared.has(contender) ? rounds : Math.min(rounds, ROUNDS_OF_OTHERS));
  for (let round = 0; round < Math.min(rounds, most); round++) {
    for (const one of shuffle(found)) {
      if (one.absent || one.failed || round >= mostOf(one)) continue;
      onProgress?.(scenario, one.contender, round);
      try {
        one.rounds.push(await measure(scenario, one.contender, settings, { realtime, timeout }));
      } catch (error) {
        one.failed = String(error.killed ? `no end within ${timeout / 1000} s` : error.stderr || error.message).trim();
      }
    }
  }
  return found;
}
