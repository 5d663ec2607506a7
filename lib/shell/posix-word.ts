// One word of a shell script: its value where that is fixed, what is nested in it, and what it must not contain.

import type { Facts } from './facts.ts';
import type {
  ArithmeticExpression,
  Assignment,
  CommandArgument,
  DoubleQuotedChild,
  ParameterExpansionPart,
  ParsedScript,
  Word,
  WordPart,
} from './posix-parser.ts';
import type { PosixVariant } from './types.ts';
import { isName, isSpecialVariable } from './variables.ts';

/** A word after reading it. */
export interface ReadWord {
  /** Decoded; of a dynamic word its source text. */
  readonly value: string;
  readonly dynamic: boolean;
  /** Certainly exactly one argument at run time. */
  readonly single: boolean;
  /** `NAME=value` written as an assignment: the shell does not split its value (bash, zsh). */
  readonly assignment: boolean;
  /** A carrier replaces part of it (`{}` of find): fixed as text, but not what a payload will be. */
  readonly replaced?: boolean;
}

export interface WordContext {
  readonly facts: Facts;
  readonly variant: PosixVariant;
  /** Scripts found inside words; walked after the command they belong to. */
  readonly nested: ParsedScript[];
}

/** Reads alike in every shell that may be called sh, and in zsh, outside quotes (zshexpn(1), zshmisc(1)). */
const COMMON_LITERAL =
  // eslint-disable-next-line no-control-regex -- control characters are what it refuses
  /^(?:[A-Za-z0-9_./:@%+,=-]|[^\u0000-\u00a0\ud800-\udfff\ufeff]|[\ud800-\udbff][\udc00-\udfff]|\\[^\n])*$/;
/** In `$'...'`: what ends the word in bash, and bytes that are no text by themselves. */
const NUL_ESCAPE = /\\(?:0{1,3}(?![0-7])|x0{1,2}(?![0-9a-fA-F])|u0{1,4}(?![0-9a-fA-F])|U0{1,8}(?![0-9a-fA-F])|c@|x\{)/;
const BYTE_ESCAPE = /\\(?:[2-3][0-7]{2}|x[89a-fA-F][0-9a-fA-F])/;
/**
 * Unquoted text of a word. Anything else in it has been overlooked by the parser, which takes `1>(cmd)` and `{fd}<(cmd)`
 * for plain words.
 */
const UNQUOTED_WORD = /^(?:[^\s|&;()<>\\'"`$]|\\[^]|\$(?![A-Za-z0-9_{([@*#?!$'"-]))*$/;
/** Inside an expansion or a test blanks and operators may be ordinary, but for these. */
const UNQUOTED_INSIDE = /^(?:[^<>=]|[<>=](?!\())*$/;
/** `word`: blanks and operators end it. `inside`: of an expansion or a test. `body`: of a here-document, all is text. */
export type Place = 'word' | 'inside' | 'body';
const EXPECTED: Readonly<Record<Place, RegExp>> = { word: UNQUOTED_WORD, inside: UNQUOTED_INSIDE, body: /^/ };
const TILDE = /(?:^|[=:])~/;
/** Its tree is as deep as it has operators. */
const LONGEST_ARITHMETIC = 1000;
const MANY = new Set(['$@', '$*']);

/** Goes through the parts of one word. */
class WordReader {
  dynamic = false;
  single = true;
  readonly #context: WordContext;
  #place: Place;

  constructor(context: WordContext, place: Place) {
    this.#context = context;
    this.#place = place;
  }

  #refuse(code: Parameters<Facts['unresolve']>[0], subject: string): void {
    this.#context.facts.unresolve(code, subject);
  }

  get #strict(): boolean {
    return this.#context.variant !== 'bash';
  }

  literal(text: string): void {
    if (!EXPECTED[this.#place].test(text)) this.#refuse('unknown_syntax', text);
    if (TILDE.test(text)) {
      this.dynamic = true;
      if (this.#strict && !/^~(?:\/|$)/.test(text)) this.#refuse('variant_syntax', text);
    }
    if (!this.#strict) return;
    const rest = text.replace(/^~(?=\/|$)/, '');
    if (!COMMON_LITERAL.test(rest)) this.#refuse('variant_syntax', text);
  }

  /** Text of double quotes: of the expansions' neighbours only zsh's subscripts matter. */
  quotedLiteral(text: string, previous: DoubleQuotedChild | undefined): void {
    if (this.#context.variant !== 'zsh') return;
    if (previous?.type === 'SimpleExpansion' && /^[[:]/.test(text)) this.#refuse('variant_syntax', text);
    if (/(?<!\\)\$/.test(text)) this.#refuse('variant_syntax', text);
  }

  parts(parts: readonly WordPart[]): void {
    let previous: WordPart | undefined;
    for (const part of parts) {
      this.part(part, previous);
      previous = part;
    }
  }

  part(part: WordPart, previous: WordPart | undefined): void {
    if (!this.#context.facts.countNode()) return;
    switch (part.type) {
      case 'Literal':
        if (this.#strict && previous?.type === 'SimpleExpansion' && /^[[:]/.test(part.text)) {
          this.#refuse('variant_syntax', part.text);
        }
        this.literal(part.text);
        return;
      case 'SingleQuoted':
        return;
      case 'AnsiCQuoted':
        if (this.#strict) this.#refuse('variant_syntax', part.text);
        if (NUL_ESCAPE.test(part.text) || BYTE_ESCAPE.test(part.text)) this.#refuse('forbidden_character', part.text);
        return;
      case 'DoubleQuoted':
        this.quoted(part.parts);
        return;
      case 'LocaleString':
        this.dynamic = true;
        if (this.#strict) this.#refuse('variant_syntax', part.text);
        this.quoted(part.parts);
        return;
      case 'Glob':
        this.many();
        if (part.kind === 'bracket') {
          if (this.#context.variant === 'zsh') this.#refuse('variant_syntax', part.text);
          this.parts(part.parts);
        }
        return;
      case 'BraceExpansion':
        this.many();
        if (this.#strict) this.#refuse('variant_syntax', part.text);
        this.inner(part.parts, part.text);
        return;
      case 'ExtendedGlob':
        this.many();
        // On or off by an option of bash; off, `!(cmd)` is a subshell.
        this.#refuse('variant_syntax', part.text);
        this.inner(part.parts, part.text);
        return;
      case 'ProcessSubstitution':
        this.dynamic = true;
        if (this.#context.variant === 'sh') this.#refuse('variant_syntax', part.text);
        this.script(part.script, part.text);
        return;
      case 'SimpleExpansion':
      case 'ParameterExpansion':
      case 'CommandExpansion':
      case 'ArithmeticExpansion':
        this.single = false;
        this.expansion(part);
        return;
      default:
        this.#refuse('unknown_syntax', (part as { type: string }).type);
    }
  }

  many(): void {
    this.dynamic = true;
    this.single = false;
  }

  /** A part that has parts only when something is nested in it. */
  inner(parts: readonly WordPart[] | undefined, text: string): void {
    if (parts) this.parts(parts);
    else if (/[$`]/.test(text.replace(/\\./gs, ''))) this.#refuse('unknown_syntax', text);
  }

  quoted(parts: readonly DoubleQuotedChild[]): void {
    let previous: DoubleQuotedChild | undefined;
    for (const part of parts) {
      if (!this.#context.facts.countNode()) return;
      if (part.type === 'Literal') this.quotedLiteral(part.text, previous);
      else {
        if (/^\$(?:@|\{[!#]?@|\{!?[^}]*[@*])/.test(part.text)) this.single = false;
        this.expansion(part);
      }
      previous = part;
    }
  }

  expansion(part: Exclude<DoubleQuotedChild, { type: 'Literal' }>): void {
    this.dynamic = true;
    switch (part.type) {
      case 'SimpleExpansion':
        if (!/^\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])$/.test(part.text)) this.#refuse('unknown_syntax', part.text);
        if (MANY.has(part.text)) this.single = false;
        return;
      case 'ParameterExpansion':
        this.parameter(part);
        return;
      case 'CommandExpansion':
        if (this.#strict && part.text.startsWith('${')) this.#refuse('variant_syntax', part.text);
        this.script(part.script, part.text);
        return;
      case 'ArithmeticExpansion':
        if (this.#strict && !part.text.startsWith('$((')) this.#refuse('variant_syntax', part.text);
        this.arithmetic(part.expression, part.text);
        return;
      default:
        this.#refuse('unknown_syntax', (part as { type: string }).type);
    }
  }

  parameter(part: ParameterExpansionPart): void {
    const { operation, parameter, prefix, index, text } = part;
    const known = isName(parameter) || /^(?:[0-9]+|[@*#?$!-])$/.test(parameter);
    if (!known || prefix === '!') this.#refuse('parameter_operation', text);
    if (index !== undefined) {
      const fixed = /^(?:[0-9]+|[@*])$/.test(index.text);
      if (!fixed || this.#strict) this.#refuse('subscript', text);
      this.word(index);
    }
    if (operation === undefined) return;
    switch (operation.type) {
      case 'Default':
        if (operation.operator.endsWith('=') && isSpecialVariable(parameter, true)) {
          this.#refuse('special_variable', text);
        }
        this.word(operation.operand);
        return;
      case 'Remove':
        this.word(operation.operand);
        return;
      case 'Replace':
        if (this.#strict) this.#refuse('variant_syntax', text);
        this.word(operation.pattern);
        this.word(operation.replacement);
        return;
      case 'Slice':
        for (const word of [operation.offset, operation.length]) {
          if (word === undefined) continue;
          if (this.#strict || !/^\s*-?[0-9]+\s*$/.test(word.text)) this.#refuse('arithmetic_with_names', text);
          this.word(word);
        }
        return;
      case 'CaseModification':
        if (this.#strict) this.#refuse('variant_syntax', text);
        if (operation.operand) this.word(operation.operand);
        return;
      case 'Transform':
        this.word(operation.operand);
        this.#refuse('parameter_operation', text);
        return;
      default:
        this.#refuse('parameter_operation', text);
    }
  }

  /** A word inside an expansion. */
  word(word: Word): void {
    const outside = this.#place;
    this.#place = 'inside';
    if (word.parts) this.parts(word.parts);
    else this.literal(word.text);
    this.#place = outside;
  }

  script(script: ParsedScript | undefined, text: string): void {
    if (script) this.#context.nested.push(script);
    else this.#refuse('syntax_error', text);
  }

  /** Names and substitutions are evaluated again as expressions, and a subscript in one can run a command. */
  arithmetic(expression: ArithmeticExpression | undefined, text: string): void {
    if (expression === undefined) {
      if (text.replace(/[$()\s[\]]/g, '') !== '') this.#refuse('unknown_syntax', text);
      return;
    }
    if (text.length > LONGEST_ARITHMETIC)
      this.#refuse('limit_reached', `${LONGEST_ARITHMETIC} characters of arithmetic`);
    if (text.length > LONGEST_ARITHMETIC || !this.#context.facts.countNode()) return;
    switch (expression.type) {
      case 'ArithmeticBinary':
        this.arithmetic(expression.left, text);
        this.arithmetic(expression.right, text);
        return;
      case 'ArithmeticUnary':
        this.arithmetic(expression.operand, text);
        return;
      case 'ArithmeticTernary':
        for (const side of [expression.test, expression.consequent, expression.alternate]) this.arithmetic(side, text);
        return;
      case 'ArithmeticGroup':
        this.arithmetic(expression.expression, text);
        return;
      case 'ArithmeticWord':
        if (!/^[0-9]+$/.test(expression.value)) this.#refuse('arithmetic_with_names', text);
        if (expression.parts) this.parts(expression.parts);
        return;
      case 'ArithmeticCommandExpansion':
        this.#refuse('arithmetic_with_names', text);
        this.script(expression.script, text);
        return;
      default:
        this.#refuse('unknown_syntax', (expression as { type: string }).type);
    }
  }
}

export function readWord(word: Word, context: WordContext, place: Place = 'word'): ReadWord {
  const reader = new WordReader(context, place);
  if (!context.facts.countNode()) return { value: word.text, dynamic: true, single: false, assignment: false };
  if (word.parts) reader.parts(word.parts);
  else reader.literal(word.text);
  // zsh puts the path of a program where `=name` begins a word (zshexpn(1), "`=' expansion").
  if (context.variant === 'zsh' && /^=./s.test(word.text)) context.facts.unresolve('variant_syntax', word.text);
  return {
    value: reader.dynamic ? word.text : word.value,
    dynamic: reader.dynamic,
    single: reader.single,
    assignment: false,
  };
}

/** `name[subscript]`, `name+=`, arrays: what an assignment itself may run. @returns `NAME=value`. */
export function readAssignment(assignment: Assignment, context: WordContext): ReadWord {
  const { facts } = context;
  const { name, text } = assignment;
  // The tree has the subscript of a prefix only as text.
  if (assignment.index !== undefined || /^[A-Za-z_][A-Za-z0-9_]*\[/.test(text)) {
    facts.unresolve('subscript', text);
    if (assignment.index) readWord(assignment.index, context);
  }
  if (assignment.append && context.variant !== 'bash') facts.unresolve('variant_syntax', text);
  const { value } = assignment;
  if (value.type === 'ArrayValue') {
    if (context.variant !== 'bash') facts.unresolve('variant_syntax', text);
    for (const element of value.elements) {
      if (element.text.startsWith('[')) facts.unresolve('subscript', text);
      readWord(element, context);
    }
    return { value: text, dynamic: true, single: true, assignment: true };
  }
  const read = readWord(value, context);
  const shown = read.dynamic ? text : `${name}${assignment.append ? '+' : ''}=${read.value}`;
  return { value: shown, dynamic: read.dynamic, single: read.single, assignment: true };
}

export const readArgument = (argument: CommandArgument, context: WordContext): ReadWord =>
  argument.type === 'Assignment' ? readAssignment(argument, context) : readWord(argument, context);
