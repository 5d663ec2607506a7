// Random shell programs out of the pieces that shells, parsers and scanners disagree about. The same seed gives the same
// programs on every machine.

/** mulberry32. */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { below, pick: (list) => list[below(list.length)], chance: (p) => next() < p, tame: false };
}

const PROGRAMS = ['ls', 'rm', 'q', 'w', 'no', 'ls', 'q', 'git'];
const BUILTINS = [
  'echo',
  'printf %s',
  'printf',
  ':',
  'true',
  'false',
  'cd d &&',
  'test',
  '[',
  'export',
  'set --',
  'read',
  'unset',
  'eval',
  'command',
  'builtin',
  'exec',
  'trap',
  'shift',
  'exit',
  'umask',
  'type',
  'kill',
  'wait',
  'set -e;',
  'readonly',
  'typeset',
  'declare',
  'local',
  'let',
  'source',
  '.',
  'alias',
  'hash',
  'print',
  'time',
  '!',
  'noglob',
  '-',
  'repeat 1',
  'nohup',
  'env',
  'env -i',
  'nice',
  'nice -n 1',
  'timeout 5',
  'timeout "$n"',
  'sh -c',
  'bash -c',
  'zsh -c',
  'dash -c',
  'bash -ec',
  'bash --',
  'bash -c -x',
  'find . -name in -exec',
  'xargs',
  'busybox',
  'stdbuf -oL',
  'setsid',
  'env -S',
  'command -v',
  'command -p',
  'exec -a x',
  'coproc',
];
/** Values that run `pwn` when a shell reads them again. */
const BAIT = 'a[$(pwn bait)]';
const WORDS = [
  'a',
  'b1',
  '1',
  '21',
  'in',
  'd',
  '-',
  '--',
  '-v',
  '-n',
  '-eq',
  '=',
  '==',
  '!',
  '-x',
  '+',
  'a=b',
  '=ls',
  '~',
  '~/x',
  '%1',
  '#',
  'a#b',
  '.',
  './q',
  '/bin/x',
  "''",
  '""',
  "'a b'",
  '"a b"',
  "'$(pwn sq)'",
  '"$(q dq)"',
  '$(q s)',
  '`q b`',
  '"`q db`"',
  '$x',
  '"$x"',
  '${x}',
  '"${x}"',
  '${u:-w}',
  '${u:-$(q def)}',
  `"\${u:-'$(q dsq)'}"`,
  '${u:+$(q alt)}',
  '${x#a}',
  '${x%%b*}',
  '${x/a/b}',
  '${x:0:1}',
  '${x:n}',
  '${x@P}',
  '${x@Q}',
  '${!x}',
  '${#x}',
  '${x^}',
  '${a[0]}',
  '${a[x]}',
  '$x[1]',
  '"$x[$(q zsub)]"',
  '$((1+2))',
  '$((n))',
  '$((x))',
  '$(( $(q ar) ))',
  '$[1]',
  '*',
  '?',
  '[a-z]*',
  'i*',
  '{a,b}',
  '{a,$(q br)}',
  '{1..2}',
  '*(e:q:)',
  '@(a|b)',
  '!(a)',
  "$'a\\tb'",
  "$'\\x24'",
  '$"a"',
  '<(q ps)',
  '>(q pt)',
  `'${BAIT}'`,
  '"$y"',
  '$y',
  '$@',
  '"$@"',
  '$*',
  '$1',
  '$?',
  '$$',
  '\\$x',
  '\\a',
  'a\\ b',
  'a\\\nb',
  '\\\n',
  '$',
  'a$',
  '{',
  '}',
  '{}',
  '[',
  ']',
  '\\;',
  ';',
  '^',
  'é',
  '\u00a0',
  '\t',
  '$=x',
  '$~x',
  '${(e)x}',
  '${~x}',
  '^x',
  'a^b',
  '<1-5>',
  'a:b',
  'a,b',
  '@a',
  "r''m",
  'r\\m',
  '$r',
  '${r}',
  '"$r"',
  '$op',
  '"$op"',
  "q\\\n''",
  '"a\\\nb"',
  '"a\\$b"',
  '"a\\`b"',
  'a\'b\'"c"',
  '$z',
  '"$z"',
  '"$e"',
  '$e',
  '$e$e',
];
const NAMES = ['v', 'w', 'x', 'PATH', 'IFS', 'RANDOM', 'OPTIND', 'SECONDS', 'path', 'PS4', 'n', 'a'];
const TARGETS = [
  'out',
  'o2',
  '"o 3"',
  '/dev/null',
  'd/o',
  '$x',
  '"$y"',
  '&1',
  '&2',
  '&-',
  '& out',
  '&x',
  "& 'o$(pwn amp)'",
  '& -x',
  '&1-',
  '1',
  '*',
  '~/h',
  'o{1,2}',
  '$(q t)',
  "o''4",
  'o\\5',
  '!',
  '|o',
  '&3',
];
const REDIRECTS = [
  '>',
  '>>',
  '>|',
  '<',
  '<>',
  '2>',
  '1>',
  '21>',
  '&>',
  '&>>',
  '>&',
  '2>&',
  '<&',
  '{fd}>',
  '3>',
  '>!',
  '>>|',
  '>&|',
];
const SEPARATORS = [
  '; ',
  ' && ',
  ' || ',
  ' | ',
  ' & ',
  '\n',
  ' |& ',
  ';',
  '&&',
  '|',
  '&',
  ' ;; ',
  ' &! ',
  ' &| ',
  '\n\n',
  ' # c\n',
  ' \\\n',
  '\r\n',
];

/** What most scans can be complete about, so that enough programs are run. */
const TAME_WORDS = WORDS.filter(
  (word) =>
    !/[~^<>{}()!#%=]|\$[@*[~"']|\t|\r|u00a0|^\*|^\?|x[@:^/]/.test(word) ||
    word.startsWith('"$(') ||
    word.startsWith('$('),
);
const TAME_BUILTINS = [
  'echo',
  'printf %s',
  ':',
  'true',
  'false',
  'set --',
  'env',
  'env -i',
  'nice',
  'timeout 5',
  'sh -c',
  'bash -c',
  'dash -c',
  'command',
  'nohup',
  'trap',
  'find . -name in -exec',
  'cd d &&',
];
const TAME_TARGETS = ['out', 'o2', '"o 3"', '/dev/null', 'd/o', "o''4", 'o\\5'];
const TAME_REDIRECTS = ['>', '>>', '>|', '<>', '2>', '1>'];
const TAME_SEPARATORS = ['; ', ' && ', ' || ', ' | ', ' & ', '\n', ';', '&&', '|', ' # c\n', ' \\\n'];

function makeWord(random) {
  if (random.tame) return random.pick(TAME_WORDS);
  if (random.chance(0.12)) return random.pick(WORDS) + random.pick(WORDS);
  return random.pick(WORDS);
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const doubleQuote = (text) => `"${text.replace(/["\\`]/g, '\\$&')}"`;

function makeRedirect(random) {
  const [operators, targets] = random.tame ? [TAME_REDIRECTS, TAME_TARGETS] : [REDIRECTS, TARGETS];
  return `${random.pick(operators)}${random.chance(0.6) ? ' ' : ''}${random.pick(targets)}`;
}

function makeAssignment(random) {
  const name = random.tame ? random.pick(['v', 'w']) : random.pick(NAMES);
  const value = random.chance(0.3) ? quote(BAIT) : random.chance(0.2) ? '' : makeWord(random).replaceAll('\n', '');
  if (random.tame) return `${name}=${value}`;
  return random.pick([
    `${name}=${value}`,
    `${name}=${value}`,
    `${name}+=${value}`,
    `${name}[0]=${value}`,
    `${name}[$(q sub)]=1`,
    `${name}=(${value})`,
    `${name}=([x]=${value})`,
  ]);
}

function makeTest(random) {
  const unary = random.pick(['-e', '-f', '-n', '-z', '-v', '-t', '-x', '-o', '-R', '!']);
  const binary = random.pick(['=', '==', '!=', '-eq', '-lt', '<', '>', '=~', '-nt', '-a', '-o', '\\>']);
  const body = random.pick([
    `${unary} ${makeWord(random)}`,
    `${makeWord(random)} ${binary} ${makeWord(random)}`,
    `! ${unary} ${makeWord(random)}`,
    makeWord(random),
  ]);
  return random.pick([`[ ${body} ]`, `[[ ${body} ]]`, `test ${body}`]);
}

function makeSimple(random, depth) {
  const parts = [];
  if (random.chance(0.12)) parts.push(makeAssignment(random));
  if (random.chance(0.06)) parts.push(makeRedirect(random));
  const wrapper = random.chance(0.45);
  if (wrapper) parts.push(random.pick(random.tame ? TAME_BUILTINS : BUILTINS));
  if (wrapper && /-e?c$|-x$|eval|trap|-S$/.test(parts.at(-1)) && random.chance(0.85)) {
    const text = makeProgram(random, depth + 1);
    parts.push(random.chance(0.6) ? quote(text) : doubleQuote(text));
    if (random.chance(0.2)) parts.push('EXIT');
  } else if (!wrapper || random.chance(0.7))
    parts.push(random.tame || random.chance(0.92) ? random.pick(PROGRAMS) : makeWord(random));
  for (let n = random.below(4); n > 0; n--)
    parts.push(!random.tame && random.chance(0.05) ? makeAssignment(random) : makeWord(random));
  while (random.chance(0.18)) parts.splice(random.below(parts.length + 1), 0, makeRedirect(random));
  if (parts.some((part) => /^find/.test(part))) parts.push(random.pick(['\\;', '\\;', '+', '{} +', ';']));
  return parts.join(random.tame || random.chance(0.97) ? ' ' : '');
}

function makeHereDocument(random) {
  const body = `${makeWord(random)} $(q hd)\n\${u:-'$(q hq)'}`;
  return `ls <<${random.pick(['E', "'E'", '-E', ' E'])}${random.pick(['', '; q after', ' | w'])}\n${body}\nE\n`;
}

function makeStatement(random, depth) {
  const inner = () => (depth > 2 ? makeSimple(random, depth) : makeProgram(random, depth + 1));
  if (random.tame && random.chance(0.6)) return makeSimple(random, depth);
  switch (random.below(22)) {
    case 0:
      return `{ ${inner()}; }`;
    case 1:
      return `(${inner()})`;
    case 2:
      return `if ${inner()}; then ${inner()}; else ${inner()}; fi`;
    case 3:
      return `for ${random.pick(NAMES)} in ${makeWord(random)} ${quote(BAIT)}; do ${inner()}; done`;
    case 4:
      return `case ${makeWord(random)} in ${random.pick(['a', '*', '(a)', '"$x"', 'a|b', '$(q c)'])}) ${inner()};; *) ${inner()}${random.pick([';;', ';&', ';;&', ''])} esac`;
    case 5:
      return makeTest(random);
    case 6:
      return random.pick(['((1+2))', '((x))', '((n>1))', '(( 1 > 2 ))', 'let x', '((a[x]))', '((v=1))']);
    case 7:
      return makeAssignment(random);
    case 8:
      return makeHereDocument(random);
    case 9:
      return random.pick([
        `f() { ${inner()}; }; f`,
        `function g { ${inner()}; }; g`,
        `() { ${inner()}; }`,
        `ls() { pwn fn; }; ls`,
      ]);
    case 10:
      return `while no; do ${inner()}; done`;
    case 11:
      return `{ ${inner()}; } ${makeRedirect(random)}`;
    case 12:
      return `! ${makeSimple(random, depth)}`;
    case 13:
      return `time ${makeSimple(random, depth)}`;
    default:
      return makeSimple(random, depth);
  }
}

/** One character more, less or other: what a parser recovers from, and must then not be believed. */
function mutate(random, text) {
  const at = random.below(text.length + 1);
  const extra = random.pick([
    "'",
    '"',
    '\\',
    '\\\n',
    '$',
    '`',
    '(',
    ')',
    '{',
    '}',
    ';',
    '&',
    '|',
    '<',
    '>',
    '\n',
    ' ',
    '#',
    '=',
    "''",
    '$(',
    '!',
    '*',
    '~',
  ]);
  return random.chance(0.6) ? text.slice(0, at) + extra + text.slice(at) : text.slice(0, at) + text.slice(at + 1);
}

export function makeProgram(random, depth = 0) {
  if (depth === 0) random.tame = random.chance(0.6);
  let text = makeStatement(random, depth);
  for (let n = random.below(depth === 0 ? 3 : 2); n > 0; n--)
    text += random.pick(random.tame ? TAME_SEPARATORS : SEPARATORS) + makeStatement(random, depth);
  return depth === 0 && random.chance(random.tame ? 0.1 : 0.25) ? mutate(random, text) : text;
}
