// Rules over processes and command lines. The oracle of the property test is the rule in plain words: what agent tools
// do with a command string today, and the list of things that may never be allowed by text.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, decide } from '../../lib/agent.ts';
import type { Effect, Rule, Target } from '../../lib/agent.ts';
import { scan } from '../../lib/shell.ts';
import { anyArgv, anyEffect, anyRules, anyTextRules, PROPERTY_RUNS } from './arbitraries.ts';

const processOf = (...argv: string[]): Target => ({ mode: 'process', argv });
const shellOf = (command: string): Target => ({ mode: 'shell', command, shell: 'bash' });
const effectOf = (rules: readonly Rule[], target: Target, otherwise?: Effect): Effect =>
  decide(rules, target, otherwise).effect;

const STRICTNESS = ['allow', 'ask', 'deny'];
const atLeast = (effect: Effect, other: Effect): boolean => STRICTNESS.indexOf(effect) >= STRICTNESS.indexOf(other);

/** What a tool with string rules does today: regular expressions over the command text, the last match wins. */
function decideToday(rules: readonly Rule[], text: string, otherwise: Effect): { effect: Effect; rule: boolean } {
  let effect = otherwise;
  let found = false;
  for (const rule of rules) {
    if (!('text' in rule)) continue;
    const source = rule.text
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('\\*', '.*')
      .replaceAll('\\?', '.')
      .replace(/ \.\*$/, '( .*)?');
    if (!new RegExp(`^${source}$`, 's').test(text)) continue;
    found = true;
    effect = rule.effect;
    if (rule.final === true) break;
  }
  return { effect, rule: found };
}

/** The representative rules of agent tools. */
const RULES: readonly Rule[] = [
  { effect: 'allow', text: 'git *' },
  { effect: 'ask', text: 'git push *' },
  { effect: 'allow', text: 'ls *' },
  { effect: 'allow', text: 'cat *' },
  { effect: 'allow', text: 'echo *' },
  { effect: 'allow', text: 'npm test' },
  { effect: 'allow', text: 'env *' },
  { effect: 'allow', text: 'timeout *' },
  { effect: 'allow', text: 'find *' },
  { effect: 'deny', text: 'rm *' },
];

describe('existing string rules (000, criterion 5)', () => {
  test.each([
    ['git status', 'allow'],
    ['git', 'allow'],
    ['git push origin main', 'ask'],
    ['ls -la src', 'allow'],
    ['npm test', 'allow'],
    ['npm test --watch', 'ask'],
    ['rm -rf x', 'deny'],
    ['curl example.org', 'ask'],
    ['git log --format=%h -n 5', 'allow'],
  ] as const)('"%s" is %s in both modes', (text, effect) => {
    expect(effectOf(RULES, processOf(...text.split(' ')))).toBe(effect);
    expect(effectOf(RULES, shellOf(text))).toBe(effect);
  });

  test.each([
    [['git', 'commit', '-m', 'two words'], 'spaces'],
    [['git', 'commit', '-m', 'say "hi"'], 'double quotes'],
    [['git', 'commit', '-m', "it's"], 'single quotes'],
    [['git', 'commit', '-m', ''], 'an empty string'],
    [['git', 'commit', '-m', 'a\nb'], 'a newline'],
    [['ls', '*'], 'a wildcard'],
    [['echo', ';', 'rm', 'x'], 'an operator'],
    [['echo', '$HOME'], 'an expansion'],
    [['cat', '\u0430'], 'a look-alike letter'],
    [['git', 'log\u00a0-p'], 'an unusual space'],
  ])('an argument with %j (%s) is asked about, never allowed by a text rule', (argv) => {
    expect(effectOf([{ effect: 'allow', text: '*' }], processOf(...argv))).toBe('ask');
    expect(effectOf(RULES, processOf(...argv))).not.toBe('allow');
    expect(effectOf(RULES, processOf(...argv), 'allow')).toBe('ask');
  });

  test('and is still denied by the rules that deny', () => {
    expect(effectOf(RULES, processOf('rm', 'two words'))).toBe('deny');
    expect(effectOf([{ effect: 'deny', text: 'rm "two words"' }], processOf('rm', 'two words'))).toBe('deny');
    expect(effectOf([{ effect: 'deny', text: 'rm two words' }], processOf('rm', 'two words'))).toBe('deny');
  });

  test('without any text rule, what is otherwise true holds for every argument', () => {
    expect(effectOf([], processOf('echo', 'two words'), 'allow')).toBe('allow');
  });
});

describe('the last rule that matches wins', () => {
  const allowThenDeny: Rule[] = [
    { effect: 'allow', text: 'git *' },
    { effect: 'deny', text: 'git push *' },
  ];
  test('in the order they are written', () => {
    expect(effectOf(allowThenDeny, processOf('git', 'push'))).toBe('deny');
    expect(effectOf(allowThenDeny.toReversed(), processOf('git', 'push'))).toBe('allow');
  });

  test('unless a deny is final', () => {
    const rules: Rule[] = [
      { effect: 'deny', text: 'git push *', final: true },
      { effect: 'allow', text: 'git *' },
    ];
    expect(decide(rules, processOf('git', 'push'))).toMatchObject({ effect: 'deny', rule: 0 });
    expect(decide(rules, processOf('git', 'log'))).toMatchObject({ effect: 'allow', rule: 1 });
  });
});

describe('structured rules', () => {
  const git = { path: '/usr/bin/git', realPath: '/usr/bin/git' };
  const at = (argv: string[], file: { path: string; realPath: string } | null): Target => ({
    mode: 'process',
    argv,
    file,
  });

  test('name an argument exactly, whatever is in it', () => {
    const rules: Rule[] = [{ effect: 'allow', program: 'git', args: ['commit', '-m', { glob: '*' }] }];
    expect(effectOf(rules, at(['git', 'commit', '-m', 'a\n"b" ; rm *'], git))).toBe('allow');
    expect(effectOf(rules, at(['git', 'commit', '-m', 'a', '--amend'], git))).toBe('ask');
    expect(effectOf(rules, at(['git', 'commit'], git))).toBe('ask');
  });

  test('match one of several, and any others at the end', () => {
    const rules: Rule[] = [{ effect: 'allow', program: 'git', args: [{ oneOf: ['log', 'diff'] }, { rest: true }] }];
    expect(effectOf(rules, at(['git', 'log'], git))).toBe('allow');
    expect(effectOf(rules, at(['git', 'diff', 'a b'], git))).toBe('allow');
    expect(effectOf(rules, at(['git', 'push'], git))).toBe('ask');
    expect(effectOf(rules, at(['git'], git))).toBe('ask');
  });

  test('of a bare name do not allow a path, nor a link to another program', () => {
    const rules: Rule[] = [{ effect: 'allow', program: 'ls' }];
    expect(effectOf(rules, at(['ls'], { path: '/usr/bin/ls', realPath: '/usr/bin/ls' }))).toBe('allow');
    expect(effectOf(rules, at(['./ls'], { path: '/w/ls', realPath: '/w/ls' }))).toBe('ask');
    expect(effectOf(rules, at(['/tmp/ls'], { path: '/tmp/ls', realPath: '/tmp/ls' }))).toBe('ask');
    expect(effectOf(rules, at(['ls'], { path: '/w/bin/ls', realPath: '/usr/bin/sh' }))).toBe('ask');
    // Links of the system's own are what they are called: python3, awk, the applets of busybox.
    expect(effectOf(rules, at(['ls'], { path: '/usr/bin/ls', realPath: '/usr/bin/busybox' }))).toBe('allow');
  });

  test('of a path allow the real file under any name', () => {
    const rules: Rule[] = [{ effect: 'allow', program: '/usr/bin/git', args: [{ rest: true }] }];
    expect(effectOf(rules, at(['git', 'x'], git))).toBe('allow');
    expect(effectOf(rules, at(['/tmp/link', 'x'], { path: '/tmp/link', realPath: '/usr/bin/git' }))).toBe('allow');
    expect(effectOf(rules, at(['/usr/bin/git'], { path: '/usr/bin/git', realPath: '/opt/evil' }))).toBe('ask');
    expect(effectOf(rules, at(['/usr/bin/git'], null))).toBe('ask');
  });

  test('that deny find the program under every name, inside wrappers, and in shell mode', () => {
    const rules: Rule[] = [
      { effect: 'allow', mode: 'process' },
      { effect: 'allow', mode: 'shell' },
      { effect: 'deny', program: 'rm' },
    ];
    for (const argv of [
      ['rm', 'x'],
      ['/bin/rm', 'x'],
      ['RM.exe', 'x'],
      ['env', '-u', 'X', 'rm', 'x'],
      ['timeout', '5', 'nice', 'rm', 'x'],
      ['sudo', 'sh', '-c', 'echo; rm x'],
      ['busybox', 'rm', 'x'],
      ['xargs', 'rm'],
    ]) {
      expect([argv, effectOf(rules, processOf(...argv))]).toEqual([argv, 'deny']);
      expect([argv, effectOf(rules, shellOf(argv.map((word) => `'${word}'`).join(' ')))]).toEqual([argv, 'deny']);
    }
    expect(effectOf(rules, at(['link'], { path: '/w/link', realPath: '/bin/rm' }))).toBe('deny');
    expect(effectOf(rules, processOf('echo', 'rm'))).toBe('allow');
  });

  test('that deny a path see bare names that may find it', () => {
    const rules: Rule[] = [
      { effect: 'allow', mode: 'shell' },
      { effect: 'allow', mode: 'process' },
      { effect: 'deny', program: '/usr/bin/rm' },
    ];
    expect(effectOf(rules, shellOf('rm x'))).toBe('deny');
    expect(effectOf(rules, processOf('env', 'rm', 'x'))).toBe('deny');
    expect(effectOf(rules, at(['rm'], { path: '/w/rm', realPath: '/w/rm' }))).toBe('allow');
    expect(effectOf(rules, at(['x'], { path: '/w/x', realPath: '/usr/bin/rm' }))).toBe('deny');
  });

  test('that deny are not lost in a call with more words than are looked at', () => {
    const rules: Rule[] = [
      { effect: 'allow', mode: 'process' },
      { effect: 'deny', program: 'rm' },
    ];
    const many = Array.from({ length: 5000 }, (_, i) => `word${i}`);
    expect(effectOf(rules, processOf('xargs', ...many, 'rm', 'x'))).toBe('ask');
    expect(effectOf(rules, processOf('echo', ...many, 'rm', 'x'))).toBe('allow');
  });

  test('of a command line allow exactly that text', () => {
    const rules: Rule[] = [{ effect: 'allow', command: 'make | tee log 2>&1' }];
    expect(effectOf(rules, shellOf('make | tee log 2>&1'))).toBe('allow');
    expect(effectOf(rules, shellOf('make | tee log 2>&1 '))).toBe('ask');
    expect(effectOf(rules, processOf('make', '|', 'tee', 'log', '2>&1'))).toBe('ask');
  });
});

describe('command lines that were used to get past rules', () => {
  test.each([
    ['echo a && rm x', 'deny'],
    ['git log; curl u', 'ask'],
    ['cat x\nrm -rf y', 'deny'],
    [`${'true; '.repeat(50)}rm u`, 'deny'],
    ["env sh -c 'echo x >> .claude/f'", 'ask'],
    ['echo payload > ~/.bashrc', 'ask'],
    ['cat x >&/home/u/f', 'ask'],
    ['> victim', 'ask'],
    ['CI=true git push', 'ask'],
    ['X=`touch f` npm test', 'ask'],
    ['FOO[$(id)]=v ls', 'ask'],
    ['cat${IFS}/etc/passwd', 'ask'],
    ["r''m x", 'deny'],
    ['r\\m x', 'deny'],
    ['{rm,-rf,x}', 'ask'],
    ['echo "$(rm x)"', 'deny'],
    ['cat <(rm x)', 'deny'],
    ['echo ${x@P}', 'ask'],
    ['env rm x', 'deny'],
    ["env -S 'rm x'", 'deny'],
    ['timeout 5 rm x', 'deny'],
    ['busybox rm x', 'deny'],
    ['ls | xargs rm', 'deny'],
    ['/tmp/git status', 'ask'],
    ['export PATH=./bin; ls', 'ask'],
    ['PATH=./bin ls', 'ask'],
    ['RM x', 'deny'],
    ['rm.exe x', 'deny'],
    ['while true; do rm x; done', 'deny'],
    ['echo $(( a[$(id)] ))', 'ask'],
    ['', 'ask'],
    ['# comment', 'ask'],
    ["echo 'unterminated", 'ask'],
  ] as const)('%j is %s', (command, effect) => {
    expect(effectOf(RULES, shellOf(command))).toBe(effect);
  });

  test.each<[string, Partial<Target>]>([
    ['a shell that is not known', { shell: null }],
    ['a shell whose syntax is not known', { shell: 'fish' }],
    ['an environment that redefines commands', { shell: 'bash', env: { 'BASH_FUNC_git%%': '() { rm x; }' } }],
  ])('%s: no text rule allows, and those that deny see what they can', (_, more) => {
    const at = (command: string): Target => ({ mode: 'shell', command, ...more }) as Target;
    expect(effectOf(RULES, at('git status'))).toBe('ask');
    expect(effectOf(RULES, at('git status; rm x'))).toBe('deny');
  });

  test('words that are the same to look at: literal ones are allowed, those decided at run time are not', () => {
    expect(effectOf(RULES, shellOf("echo '$x'"))).toBe('allow');
    for (const line of ["echo $x; echo '$x'", "echo '$x'; echo $x"]) expect(effectOf(RULES, shellOf(line))).toBe('ask');
  });

  test('here-documents and files that are written are asked about, sinks are not', () => {
    expect(effectOf(RULES, shellOf('cat <<E\nx\nE'))).toBe('ask');
    expect(effectOf(RULES, shellOf('echo x >> file'))).toBe('ask');
    expect(effectOf(RULES, shellOf('ls 2>/dev/null'))).toBe('allow');
    expect(effectOf(RULES, shellOf('git log # rm x'))).toBe('allow');
  });

  test('what a wrapper or a payload starts has to be allowed too, in both modes', () => {
    for (const target of [shellOf('timeout 5 git status'), processOf('timeout', '5', 'git', 'status')]) {
      expect(effectOf(RULES, target)).toBe('allow');
      expect(effectOf([{ effect: 'allow', text: 'timeout *' }], target)).toBe('ask');
      expect(effectOf([{ effect: 'allow', text: 'git *' }], target)).toBe('ask');
    }
    const rules: Rule[] = [...RULES, { effect: 'allow', text: 'bash *' }];
    expect(effectOf(rules, shellOf("bash -c 'git status'"))).toBe('allow');
    expect(effectOf(rules, shellOf("bash -c 'git status; curl x'"))).toBe('ask');
    expect(effectOf(RULES, shellOf("bash -c 'git status'"))).toBe('ask');
  });

  test('a rule for everything is overridden for what the call may hold, too', () => {
    const rules: Rule[] = ['*', 'strace *', 'ls *', 'git *'].map((text, i) => ({
      effect: i === 0 ? 'ask' : 'allow',
      text,
    }));
    expect(effectOf(rules, processOf('strace', 'foo'))).toBe('allow');
    expect(effectOf(rules, shellOf('ls; git status'))).toBe('allow');
    expect(effectOf([...rules, { effect: 'deny', text: 'foo *' }], processOf('strace', 'foo'))).toBe('deny');
  });

  test('a rule that asks does not weaken what is otherwise denied', () => {
    expect(effectOf([{ effect: 'ask', text: 'rm *' }], processOf('/bin/rm', 'x'), 'deny')).toBe('deny');
    expect(effectOf([{ effect: 'ask', text: 'rm *' }], processOf('rm', 'x'), 'deny')).toBe('ask');
  });

  test('a rule about the wrapper does not take back what is forbidden inside', () => {
    const rules: Rule[] = [
      { effect: 'deny', text: 'rm *' },
      { effect: 'allow', text: 'env *' },
    ];
    expect(effectOf(rules, processOf('env', 'rm', 'x'))).toBe('deny');
    expect(effectOf(rules, shellOf('env rm x'))).toBe('deny');
  });

  test('what cannot be read is asked about when something may be forbidden in it', () => {
    const shell: Rule[] = [{ effect: 'allow', mode: 'shell' }];
    const dark = shellOf('$x y');
    expect(effectOf(shell, dark)).toBe('allow');
    const deny: Rule = { effect: 'deny', program: 'rm' };
    expect(effectOf([...shell, deny], dark)).toBe('ask');
    expect(effectOf([...shell, deny, { effect: 'allow', command: '$x y' }], dark)).toBe('allow');
    const bash: Rule[] = [{ effect: 'allow', program: 'bash', args: [{ rest: true }] }, deny];
    expect(effectOf(bash, processOf('bash', '-c', '$x y'))).toBe('ask');
    expect(effectOf(bash, processOf('bash', '-c', 'r\\m y'))).toBe('deny');
    expect(effectOf(bash, processOf('bash', 'build.sh'))).toBe('allow');
    expect(effectOf([{ effect: 'allow', text: 'bash *' }], processOf('bash', 'build.sh'))).toBe('ask');
  });

  test('a line of simple commands gets the strictest decision of its parts', () => {
    expect(effectOf(RULES, shellOf('git status && ls | cat'))).toBe('allow');
    expect(effectOf(RULES, shellOf('git status && git push'))).toBe('ask');
    expect(effectOf(RULES, shellOf('git status; curl x'))).toBe('ask');
    expect(effectOf(RULES, shellOf('git commit -m "two words"'))).toBe('allow');
    expect(effectOf(RULES, shellOf("git commit -m 'a;b'"))).toBe('allow');
  });
});

describe('the bypasses that are known of other tools', () => {
  interface Row {
    readonly bypass: number;
    readonly shell?: string;
    readonly command?: string;
    readonly argv?: readonly string[];
    readonly verdict: Effect;
  }
  const rows = JSON.parse(
    readFileSync(new URL('../vectors/scan-bypasses.json', import.meta.url), 'utf8'),
  ) as readonly Row[];
  const words = (effect: Effect, ...texts: string[]): Rule[] => texts.map((text) => ({ effect, text }));
  /** Tempting: wrappers and carriers are allowed, and options that run or write something are asked about. */
  const rules: readonly Rule[] = [
    ...words('allow', 'git status *', 'git log *', 'git diff *', 'ls *', 'cat *', 'echo *', 'printf *', 'pwd', 'true'),
    ...words(
      'allow',
      'wc *',
      'head *',
      'rg *',
      'grep *',
      'npm test',
      'find *',
      'sort *',
      'timeout *',
      'env *',
      'nice *',
    ),
    ...words('allow', 'cd *', 'export *'),
    ...words('ask', 'find * -exec*', 'find * -ok*', 'find * -delete*', 'find * -fprint*', 'find * -fls*'),
    ...words('ask', 'sort * -*o*', 'sort -*o*', 'rg *--pre*', 'rg *--hostname-bin*', 'rg *-z*', 'printf -*'),
    ...words('ask', 'git *--out*', 'git *--ext-d*', 'git *--textc*', 'git *-O*'),
    ...words('deny', 'rm *', 'sudo *', 'mkfs *'),
  ];

  test('every class of them is here', () => {
    expect(new Set(rows.map(({ bypass }) => bypass)).size).toBeGreaterThanOrEqual(40);
  });

  test.each(rows)('$bypass $command $argv: $verdict', ({ shell, command, argv, verdict }) => {
    const target: Target =
      command === undefined ? processOf(...(argv ?? [])) : { mode: 'shell', command, shell: shell ?? null };
    expect(effectOf(rules, target)).toBe(verdict);
  });
});

describe(`${PROPERTY_RUNS} random argv against random rules`, () => {
  const check = (property: fc.IProperty<[string[], Rule[], Effect]>): void =>
    fc.assert(property, { seed: 20_261_201, numRuns: PROPERTY_RUNS, endOnFailure: true });

  test('process mode is never broader than string rules are today', { timeout: 900_000 }, () => {
    let allowed = 0;
    const property = fc.property(anyArgv, anyTextRules, anyEffect, (argv, rules, otherwise) => {
      const effect = effectOf(rules, processOf(...argv), otherwise);
      const today = decideToday(rules, argv.join(' '), otherwise);
      const canonical = canonicalize(argv);
      const plain = canonical.ok && canonical.unclear.length === 0;
      if (effect === 'allow') allowed++;
      // 1. Where the words can be read in one way only, the decision is at least as strict as today's.
      if (plain) expect([effect, today]).toSatisfy(() => atLeast(effect, today.effect));
      // 2. Where they cannot, no text rule allows.
      if (!plain && rules.length > 0) expect(effect).not.toBe('allow');
      // 3. Whatever a rule forbids or asks about on the words today stays so.
      if (today.rule && today.effect !== 'allow')
        expect([effect, today]).toSatisfy(() => atLeast(effect, today.effect));
    });
    check(property);
    expect(allowed).toBeGreaterThan(PROPERTY_RUNS / 50);
  });

  test('process mode is never broader than shell mode with the same words', { timeout: 900_000 }, () => {
    let allowed = 0;
    const property = fc.property(anyArgv, anyTextRules, anyEffect, (argv, rules, otherwise) => {
      const canonical = canonicalize(argv);
      if (!canonical.ok) return;
      const effect = effectOf(rules, processOf(...argv), otherwise);
      if (effect !== 'allow') return;
      // A shell's own built-in (`caller`) is another thing than the program of that name.
      if (!scan({ mode: 'shell', shell: 'bash', command: canonical.text }).shell_io_complete) return;
      allowed++;
      expect(effectOf(rules, shellOf(canonical.text), otherwise)).toBe('allow');
    });
    check(property);
    expect(allowed).toBeGreaterThan(PROPERTY_RUNS / 50);
  });

  test('only a structured rule allows what text cannot express', { timeout: 900_000 }, () => {
    let named = 0;
    const property = fc.property(anyArgv, anyRules, anyEffect, (argv, rules, otherwise) => {
      const target = processOf(...argv);
      const decision = decide(rules, target, otherwise);
      const canonical = canonicalize(argv);
      if (decision.effect !== 'allow' || (canonical.ok && canonical.unclear.length === 0)) return;
      if (decision.rule === null) {
        expect(rules.some((rule) => 'text' in rule)).toBe(false);
        return;
      }
      const rule = rules[decision.rule];
      expect(rule && 'program' in rule && rule.program).toBe(argv[0]);
      named++;
    });
    check(property);
    expect(named).toBeGreaterThan(PROPERTY_RUNS / 10_000);
  });

  test('compatible: plain words that only plain rules are about get what they get today', { timeout: 900_000 }, () => {
    let same = 0;
    const property = fc.property(anyArgv, anyTextRules, anyEffect, (argv, rules, otherwise) => {
      const canonical = canonicalize(argv);
      const onlyAllows = rules.every((rule) => rule.effect === 'allow');
      // What starts other programs is not one thing to allow.
      const startsOthers = ['env', 'sh', 'ash'].includes(argv[0] ?? '');
      if (!canonical.ok || canonical.unclear.length > 0 || !onlyAllows || startsOthers) return;
      expect(effectOf(rules, processOf(...argv), otherwise)).toBe(decideToday(rules, argv.join(' '), otherwise).effect);
      same++;
    });
    check(property);
    expect(same).toBeGreaterThan(PROPERTY_RUNS / 100);
  });
});
