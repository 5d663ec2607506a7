// A call as rules see it: the commands that it consists of, what those start in turn, and what may be read into them.
// The facts are those of a scan; what a scan leaves in the dark is named.

import { canonicalize } from './canonical.ts';
import type { Unclear } from './canonical.ts';
import type { ProgramFile, Target } from './decide.ts';
import { isShell, isWrapper, toProgramName } from './known-programs.ts';
import { guessTarget, scanTarget } from './shell-access.ts';
import type { CommandScan, ExecutionStage } from './shell-access.ts';

const DEEPEST = 4;
/** Parts that are looked at. */
const MOST = 256;

export interface Part {
  /**
   * `call`: the process, or a command of the line. `inner`: what it starts (wrappers, payloads). `hint`: it may be read
   * like that, which is for rules that deny or ask alone.
   */
  readonly kind: 'call' | 'inner' | 'hint';
  /** Texts that a rule may allow; empty when no text can be trusted. */
  readonly allowTexts: readonly string[];
  /** As it is written: in the canonical form, and without quotes. */
  readonly ownTexts: readonly string[];
  /** Every way to write it, for rules that deny or ask. */
  readonly texts: ReadonlySet<string>;
  /** The words it starts with, and after each of them the same arguments. */
  readonly names: readonly string[];
  readonly args: readonly string[];
  /** The file that would run; null when that is not looked up. */
  readonly file: ProgramFile | null;
  /** Why `allowTexts` is empty. */
  readonly unclear: readonly string[];
}

export interface Reading {
  readonly parts: readonly Part[];
  /** What keeps a rule that denies or asks from seeing everything; empty when it does. */
  readonly hidden: readonly string[];
}

type Words = readonly string[];

const PLAIN = /^[\w@%+:,./=-]+$/;
const quoteWith = (mark: string) => (token: string) => (PLAIN.test(token) ? token : `${mark}${token}${mark}`);

/** The words side by side: as they are, and with quotes around those that need them. */
function spell(program: string, args: Words): string[] {
  const quoted = ['"', "'"].map((mark) => [program, ...args.map(quoteWith(mark))].join(' '));
  return [[program, ...args].join(' '), ...quoted];
}

function makePart(kind: Part['kind'], words: Words, more: Partial<Part> = {}): Part {
  const [program = '', ...args] = words;
  const names = [...new Set([program, program.toLowerCase(), toProgramName(program), ...(more.names ?? [])])];
  const canonical = canonicalize(words);
  const texts = new Set(names.flatMap((name) => spell(name, args)));
  if (canonical.ok) texts.add(canonical.text);
  const ownTexts = [...(canonical.ok ? [canonical.text] : []), words.join(' ')];
  return { kind, allowTexts: [], unclear: [], file: null, ...more, ownTexts, texts, names, args };
}

const describeUnclear = ({ index, why }: Unclear): string =>
  index === 0 ? `the program name cannot be classified (${why})` : `args[${index - 1}] is not one plain word (${why})`;

/** The scan's own reasons why text cannot be trusted. */
function findDoubts({ execution_semantics, shell_io_complete, details }: CommandScan): string[] {
  if (execution_semantics.resolved && shell_io_complete) return [];
  const reasons = details.map(({ code, subject }) => (subject === '' ? code : `${code}: ${subject}`));
  return reasons.length > 0
    ? reasons
    : [execution_semantics.unresolved_reason ?? 'it cannot be read as simple commands'];
}

/** What is run is known, but it comes from elsewhere: nothing in these words is hidden. */
const ELSEWHERE: ReadonlySet<string> = new Set(['shell_reads_script', 'carrier_input_unknown']);

/** Whether every command that stands in the words has been found. */
export function readsAllWords({ execution_semantics, details }: CommandScan): boolean {
  if (execution_semantics.resolved) return true;
  return details.length > 0 && details.every(({ code }) => ELSEWHERE.has(code));
}

const findHidden = (facts: CommandScan): string[] => (readsAllWords(facts) ? [] : findDoubts(facts));

/** Variables that a wrapper or the shell sets before the program: PATH may make another one of it. */
const findAssignments = ({ source_argv, argv }: ExecutionStage): string[] =>
  source_argv
    .slice(0, source_argv.length - argv.length)
    .filter((word) => /^[^-=][^=]*=/.test(word))
    .map((word) => `it sets ${word.slice(0, word.indexOf('='))}`);

/** Each command that a stage is about, outermost first: the whole of it, and what is left without wrappers. */
const listCommands = ({ via, source_argv, argv }: ExecutionStage): Words[] => [
  ...via.map((one) => one.argv),
  source_argv,
  argv,
];

class Collector {
  readonly parts: Part[] = [];
  readonly hidden: string[] = [];
  readonly #seen = new Set<string>();

  add(part: Part, words: Words): void {
    // The same words may be literal here and decided at run time there.
    const key = JSON.stringify([words, part.allowTexts.length > 0]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.parts.push(part);
  }

  /** Words of programs that run their arguments and that no scan looks into: each of them may begin a program. */
  addHints(stages: readonly ExecutionStage[], depth = 0): void {
    for (const { argv } of stages) {
      const [program = '', ...rest] = argv;
      if (!isWrapper(program)) continue;
      for (const [i, word] of rest.entries()) {
        if (word === '' || word.startsWith('-')) continue;
        if (this.parts.length >= MOST || depth > DEEPEST) {
          this.hidden.push('it holds more possible commands than are looked at');
          return;
        }
        const words = rest.slice(i);
        this.add(makePart('hint', words), words);
        if (isShell(word)) this.addGuesses(scanTarget({ mode: 'process', argv: words }), depth + 1);
      }
    }
  }

  addGuesses({ execution_stages }: CommandScan, depth = 0): void {
    for (const words of execution_stages.flatMap(listCommands)) this.add(makePart('hint', words), words);
    this.addHints(execution_stages, depth);
  }
}

function readProcess(target: Target & { readonly mode: 'process' }): Reading {
  const found = new Collector();
  const { argv, file = null } = target;
  const names = file ? [file.path, file.realPath, toProgramName(file.path), toProgramName(file.realPath)] : [];
  const canonical = canonicalize(argv);
  if (!canonical.ok) {
    const words = argv.map((word) => word.replaceAll('\0', ' '));
    const unclear = [`it has no canonical form (${canonical.reason})`];
    return { parts: [makePart('call', words, { names, file, unclear })], hidden: unclear };
  }
  const facts = scanTarget(target);
  const unclear = [
    ...canonical.unclear.map(describeUnclear),
    ...findDoubts(facts),
    ...facts.execution_stages.flatMap(findAssignments),
  ];
  const allowTexts = unclear.length === 0 ? [canonical.text] : [];
  found.add(makePart('call', argv, { names, file, allowTexts, unclear }), argv);
  for (const words of facts.execution_stages.flatMap(listCommands)) {
    const inner = canonicalize(words);
    const plain = inner.ok && inner.unclear.length === 0 && unclear.length === 0;
    found.add(makePart('inner', words, { allowTexts: plain ? [inner.text] : [], unclear }), words);
  }
  found.addHints(facts.execution_stages);
  return { parts: found.parts, hidden: [...findHidden(facts), ...found.hidden] };
}

/** Places that take what is written to them and keep nothing. */
const SINKS: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

/** What a text rule, which is about a command's words, says nothing about. */
function findLineDoubts(facts: CommandScan): string[] {
  const writes = facts.shell_redirects.filter((one) => one.writes_file && !SINKS.has(one.destination ?? ''));
  return [
    ...findDoubts(facts),
    ...writes.map(({ destination }) => `it writes to ${destination === null ? 'a file' : JSON.stringify(destination)}`),
    ...(facts.execution_stages.length === 0 ? ['it holds no command'] : []),
  ];
}

/** A command of a line may have quoted words: a text rule is matched against it as it could have been written. */
function toAllowTexts(words: Words): string[] {
  const canonical = canonicalize(words);
  if (!canonical.ok || canonical.unclear.some(({ index }) => index === 0)) return [];
  const [program = '', ...args] = words;
  const quotable = args.every((word) => !/["$`\\!]/.test(word) && word !== '');
  return [canonical.text, ...(quotable ? [[program, ...args.map(quoteWith('"'))].join(' ')] : [])];
}

function readShell(target: Target & { readonly mode: 'shell' }): Reading {
  const found = new Collector();
  const facts = scanTarget(target);
  const doubts = findLineDoubts(facts);
  for (const stage of facts.execution_stages) {
    const dynamic = stage.dynamic.flatMap((one, i) =>
      one ? [`${JSON.stringify(stage.argv[i])} is decided at run time`] : [],
    );
    const unclear = [...doubts, ...dynamic, ...findAssignments(stage)];
    listCommands(stage).forEach((words, i) => {
      const texts = unclear.length === 0 ? toAllowTexts(words) : [];
      const why = unclear.length === 0 && texts.length === 0 ? ['the program cannot be classified'] : unclear;
      found.add(makePart(i === 0 ? 'call' : 'inner', words, { allowTexts: texts, unclear: why }), words);
    });
  }
  if (found.parts.length === 0) found.add(makePart('call', [], { unclear: doubts }), []);
  // Where not every command is known, what forbids is looked for in the line as a whole.
  if (doubts.length > 0) found.parts.push({ ...makePart('hint', []), texts: new Set([target.command.trim()]) });
  found.addHints(facts.execution_stages);
  if (facts.execution_semantics.unresolved_reason === 'shell_dialect_unknown')
    found.addGuesses(guessTarget(target.command));
  return { parts: found.parts, hidden: [...findHidden(facts), ...found.hidden] };
}

export function readCall(target: Target): Reading {
  return target.mode === 'process' ? readProcess(target) : readShell(target);
}
