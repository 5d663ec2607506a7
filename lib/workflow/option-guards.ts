// Rules for programs that are harmless but for some of their options. They refuse too much rather than too little: an
// option is refused wherever it stands, also where it would be a file name or the value of another option.

import type { ArgsGuard } from './policy-types.ts';

interface Forbidden {
  /** Without dashes. GNU programs accept every unambiguous beginning of a long option, so all beginnings are refused. */
  readonly long?: readonly string[];
  /** Letters, which may stand anywhere in a cluster like `-no`. */
  readonly short?: string;
  /** Words with one dash, as find has them. */
  readonly words?: readonly string[];
  /** More operands than this are refused: a second one may be an output file. */
  readonly operands?: number;
}

function forbid({ long = [], short = '', words = [], operands = Infinity }: Forbidden): ArgsGuard {
  return (args) => {
    let count = 0;
    let ended = false;
    for (const arg of args) {
      if (ended || !arg.startsWith('-') || arg === '-') count++;
      if (arg === '--') {
        ended = true;
        continue;
      }
      if (words.includes(arg)) return `${arg} runs programs or writes files`;
      if (arg.startsWith('--')) {
        const name = arg.slice(2).split('=', 1)[0] ?? '';
        const hit = long.find((one) => one.startsWith(name));
        if (hit !== undefined) return `${arg} may stand for --${hit}`;
      } else if (arg.startsWith('-') && words.length === 0) {
        const letter = Array.from(arg.slice(1)).find((one) => short.includes(one));
        if (letter !== undefined) return `${arg} may hold -${letter}`;
      }
    }
    return count <= operands || `more than ${operands} file: the next one would be written`;
  };
}

/** find(1): GNU findutils 4.9, FreeBSD 14. */
export const findGuard: ArgsGuard = forbid({
  words: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fprint', '-fprint0', '-fprintf', '-fls', '-files0-from'],
});

/** By program name. Options from the manual pages of GNU coreutils 9.1, ripgrep 14, xxd 2023, glibc's iconv 2.36. */
export const OPTION_GUARDS: ReadonlyMap<string, ArgsGuard> = new Map([
  ['sort', forbid({ long: ['output', 'compress-program', 'temporary-directory'], short: 'oT' })],
  ['shuf', forbid({ long: ['output'], short: 'o' })],
  ['iconv', forbid({ long: ['output'], short: 'o' })],
  ['uniq', forbid({ operands: 1 })],
  ['xxd', forbid({ operands: 1 })],
  ['rg', forbid({ long: ['pre', 'hostname-bin', 'search-zip'], short: 'z' })],
  ['tree', forbid({ long: ['output'], short: 'oR' })],
  ['file', forbid({ long: ['compile'], short: 'C' })],
  ['date', forbid({ long: ['set'], short: 's' })],
  ['hostname', forbid({ long: ['file'], short: 'F', operands: 0 })],
  ['jq', forbid({ long: ['from-file', 'library-path'], short: 'fL' })],
]);
