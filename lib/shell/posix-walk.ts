// The walk over a parsed script. An allow-list of constructs: what it does not know, and every error of the parser,
// leaves the scan unresolved.

import type { Facts } from './facts.ts';
import { hasUnsafeJoint } from './joined-line.ts';
import type {
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Redirection,
  Statement,
  TestExpression,
  Word,
} from './posix-parser.ts';
import { parsePosix } from './posix-parser.ts';
import { readArgument, readAssignment, readWord } from './posix-word.ts';
import type { Place, ReadWord, WordContext } from './posix-word.ts';
import { readRedirect } from './redirect.ts';
import { isBuiltin } from './builtins.ts';
import { emitCommand } from './stage.ts';
import type { StageContext } from './stage-context.ts';
import { isSameReading, readStrictly } from './strict-lexer.ts';
import type { PlainCommand } from './strict-lexer.ts';
import { limitText } from './text-limits.ts';
import { isSpecialVariable } from './variables.ts';

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f\u0085\ufeff]/;

/** Reads `text` as a script of the context's variant and adds all it finds. */
export function scanText(whole: string, context: StageContext): void {
  const { facts } = context;
  const { readable: text, excess } = limitText(whole);
  if (excess !== null) facts.unresolve('limit_reached', excess);
  if (!facts.countText(text)) return;
  if (FORBIDDEN.test(text)) facts.unresolve('forbidden_character', JSON.stringify(FORBIDDEN.exec(text)?.[0]));
  if (hasUnsafeJoint(text)) facts.unresolve('unknown_syntax', 'a line that goes on inside a word');
  if (!text.isWellFormed()) facts.unresolve('forbidden_character', 'half a surrogate pair');
  const script = parsePosix(text);
  if (script === null) {
    facts.unresolve('syntax_error', text);
    return;
  }
  const walk = new Walk(context);
  walk.script(script);
  const strict = readStrictly(text);
  if (strict !== null && !isSameReading(strict, walk.plain)) facts.unresolve('parsers_disagree', text);
}

class Walk {
  /** Simple commands at the top level, for the second reader. */
  readonly plain: PlainCommand[] = [];
  readonly #context: StageContext;
  readonly #facts: Facts;
  #timed = false;

  constructor(context: StageContext) {
    this.#context = context;
    this.#facts = context.facts;
  }

  #variantOnly(what: string, ...variants: readonly StageContext['variant'][]): void {
    if (!variants.includes(this.#context.variant)) this.#facts.unresolve('variant_syntax', what);
  }

  script(script: ParsedScript): void {
    for (const error of script.errors ?? []) this.#facts.unresolve('syntax_error', error.message);
    this.statements(script.commands);
  }

  statements(statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (!this.#facts.countNode()) return;
      this.node(statement.command);
    }
  }

  list(list: CompoundList): void {
    this.statements(list.commands);
  }

  node(node: Statement['command']): void {
    if (!this.#facts.countNode()) return;
    if (node.type === 'AndOr') {
      for (const one of node.commands) this.node(one);
      return;
    }
    if (node.type !== 'Pipeline') {
      this.command(node);
      return;
    }
    if (node.operators.includes('|&')) this.#variantOnly('|&', 'bash', 'zsh');
    let negations = 0;
    for (const prefix of node.prefixes) {
      if (prefix.type === 'Negation') negations++;
      else this.#time(prefix.posix !== undefined, node.commands[0]);
    }
    if (negations > 1) this.#variantOnly('! !', 'bash');
    node.commands.forEach((one, i) => {
      if (i > 0) this.#timed = false;
      this.command(one);
    });
    this.#timed = false;
  }

  /** A keyword in bash and zsh, a program in dash: its words are then those of a simple command. */
  #time(posix: boolean, first: CommandNode | undefined): void {
    const { variant } = this.#context;
    if (variant === 'bash') return;
    if (variant === 'zsh') {
      if (posix) this.#facts.unresolve('variant_syntax', 'time -p');
      return;
    }
    if (first?.type !== 'Command' || first.name === undefined || first.prefix.length > 0) {
      this.#facts.unresolve('variant_syntax', 'time');
    }
    this.#timed = true;
  }

  command(node: CommandNode): void {
    if (!this.#facts.countNode()) return;
    switch (node.type) {
      case 'Command':
        this.simple(node);
        return;
      case 'Redirected':
        this.command(node.command);
        this.redirects(node.redirects);
        return;
      case 'If':
        this.list(node.clause);
        this.list(node.then);
        for (const branch of node.elif) {
          this.list(branch.clause);
          this.list(branch.then);
        }
        if (node.else) this.list(node.else);
        return;
      case 'While':
        this.list(node.clause);
        this.list(node.body);
        return;
      case 'For':
        this.#assigned(node.name.text);
        this.words(node.wordlist ?? []);
        this.list(node.body);
        return;
      case 'Subshell':
      case 'BraceGroup':
        this.list(node.body);
        return;
      case 'Case':
        this.words([node.word]);
        for (const item of node.items) {
          this.words(item.pattern);
          if (item.terminator === ';&' || item.terminator === ';;&') this.#variantOnly(item.terminator, 'bash');
          this.list(item.body);
        }
        return;
      case 'Coproc':
        this.#variantOnly('coproc', 'bash');
        if (node.name) this.#assigned(node.name.text);
        if (node.body.type === 'CompoundList') this.list(node.body);
        else this.command(node.body);
        return;
      case 'TestCommand':
        this.#variantOnly('[[', 'bash', 'zsh');
        this.#reading((word) => this.test(node.expression, word), 'inside');
        return;
      case 'ArithmeticCommand':
        this.#variantOnly('((', 'bash', 'zsh');
        this.#arithmetic(`((${node.body}))`, node.body);
        return;
      case 'Function':
        // The body is dormant: it runs under a name that may be any later word.
        this.#facts.unresolve('function_definition', node.name.text);
        return;
      case 'ArithmeticFor':
      case 'Select':
        this.#facts.unresolve('unknown_syntax', node.type);
        this.list(node.body);
        return;
      default:
        this.#facts.unresolve('unknown_syntax', (node as { type: string }).type);
    }
  }

  #assigned(name: string): void {
    if (isSpecialVariable(name, true)) this.#facts.unresolve('special_variable', name);
  }

  /** As in words: numbers only, because a name's value is evaluated too. */
  #arithmetic(shown: string, body: string): void {
    if (!/^[0-9\s<>=!+*/%&|^~?:,()-]*$/.test(body)) this.#facts.unresolve('arithmetic_with_names', shown);
    if (/[$`]/.test(body)) this.text(`: "$((${body}))"`);
  }

  /** Something nested in text that has no tree of its own: only looked at for hints. */
  text(text: string): void {
    const script = parsePosix(text);
    const [statement] = script?.commands ?? [];
    if (statement?.command.type === 'Command') this.words(statement.command.args.filter((one) => one.type === 'Word'));
  }

  /** Reads words, then walks what is nested in them. */
  #reading<T>(read: (word: (word: Word) => ReadWord, context: WordContext) => T, place: Place = 'word'): T {
    const context: WordContext = { facts: this.#facts, variant: this.#context.variant, nested: [] };
    const result = read((word) => readWord(word, context, place), context);
    this.#nested(context);
    return result;
  }

  #nested(context: WordContext): void {
    for (const script of context.nested) new Walk(this.#context).script(script);
  }

  words(words: readonly Word[]): void {
    this.#reading((word) => words.forEach(word));
  }

  redirects(redirects: readonly Redirection[], context?: WordContext): void {
    if (context) {
      for (const redirect of redirects) readRedirect(redirect, context);
    } else this.#reading((_, inner) => redirects.forEach((redirect) => readRedirect(redirect, inner)));
  }

  /** `[[ ]]`: operators that compare numbers evaluate their operands; `-v` reads a subscript. */
  test(expression: TestExpression, read: (word: Word) => ReadWord): void {
    if (!this.#facts.countNode()) return;
    switch (expression.type) {
      case 'TestUnary':
        if (!/^-[abcdefghkprsuwxGLNOSzn]$/.test(expression.operator)) {
          this.#facts.unresolve('evaluated_text', `[[ ${expression.operator}`);
        }
        read(expression.operand);
        return;
      case 'TestBinary': {
        const [left, right] = [read(expression.left), read(expression.right)];
        const numeric = /^-(eq|ne|lt|le|gt|ge)$/.test(expression.operator);
        const numbers = [left, right].every((word) => !word.dynamic && /^-?[0-9]+$/.test(word.value));
        const known = /^(=|==|!=|<|>|=~|-nt|-ot|-ef)$/.test(expression.operator);
        if (numeric ? !numbers : !known) this.#facts.unresolve('evaluated_text', `[[ ${expression.operator}`);
        if (expression.operator === '=~') this.#variantOnly('=~', 'bash');
        return;
      }
      case 'TestLogical':
        for (const operand of expression.operands) this.test(operand, read);
        return;
      case 'TestNot':
        this.test(expression.operand, read);
        return;
      case 'TestGroup':
        this.test(expression.expression, read);
        return;
      default:
        this.#facts.unresolve('unknown_syntax', (expression as { type: string }).type);
    }
  }

  /** Two words without anything between them are one word, which the parser has split (`@<(cmd)`, `a=<(cmd)`). */
  #checkGaps(command: Command): void {
    let end = -1;
    for (const item of [...command.prefix, ...(command.name ? [command.name] : []), ...command.suffix]) {
      if (item.pos === end && (item.type === 'Word' || item.type === 'Assignment')) {
        this.#facts.unresolve('unknown_syntax', item.text);
      }
      end = item.end;
    }
  }

  simple(command: Command): void {
    const { facts, variant } = { facts: this.#facts, variant: this.#context.variant };
    const context: WordContext = { facts, variant, nested: [] };
    const redirectsBefore = facts.redirects.length;
    const assignments: { name: string; shown: string }[] = [];
    const words: ReadWord[] = command.name ? [readWord(command.name, context)] : [];
    for (const item of command.prefix) {
      if (item.type === 'Assignment') {
        assignments.push({ name: item.name, shown: readAssignment(item, context).value });
      } else readRedirect(item, context);
    }
    for (const item of command.suffix) {
      if (item.type === 'Word' || item.type === 'Assignment') words.push(readArgument(item, context));
      else readRedirect(item, context);
    }
    this.#checkGaps(command);
    const head = words[0];
    // Before a built-in an assignment may outlive the command (POSIX 2.14, special built-ins).
    const lasting = head === undefined || head.dynamic || isBuiltin(head.value, variant);
    for (const { name } of assignments) {
      if (isSpecialVariable(name, lasting)) facts.unresolve('special_variable', name);
    }
    this.plain.push({
      argv: words.map(({ value }) => value),
      redirects: facts.redirects.slice(redirectsBefore).map((one) => `${one.operator} ${one.destination ?? ''}`),
    });
    if (head === undefined) {
      // zsh runs NULLCMD, which is cat, for a redirect without a command.
      if (variant === 'zsh' && command.redirects.length > 0)
        facts.unresolve('variant_syntax', 'redirect without a command');
      this.#nested(context);
      return;
    }
    if (head.value === 'exec' && words.length === 1) facts.leaveOpen('shell_redirects_itself', 'exec');
    const timed = this.#timed ? ['time'] : [];
    this.#timed = false;
    emitCommand(
      {
        words,
        assignments: [...timed, ...assignments.map(({ shown }) => shown)],
        prefixed: assignments.length > 0 || command.redirects.length > 0,
        inShell: timed.length === 0,
      },
      this.#context,
    );
    this.#nested(context);
  }
}
