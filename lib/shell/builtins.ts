// Built-in commands of the shells: which names they take, and for which arguments they do only what is written.
//
// An allow-list. Arguments of many built-ins are evaluated again (`test -v 'a[$(cmd)]'` runs cmd), so a built-in without
// a rule here, or a form outside its rule, leaves the scan unresolved.

import type { ReadWord } from './posix-word.ts';
import type { PosixVariant } from './types.ts';
import { isName, isSpecialVariable } from './variables.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const COMMON =
  '. : [ alias bg break cd command continue echo eval exec exit export false fc fg getopts hash jobs kill printf pwd ' +
  'read readonly return set shift test times trap true type ulimit umask unalias unset wait let local source typeset';

/** bash 5.2 `compgen -b`; zsh 5.9 `builtins`, those that load on use included; ksh93u+m, mksh, busybox, yash together. */
const BUILTINS: Readonly<Record<PosixVariant, ReadonlySet<string>>> = {
  bash: words(
    `${COMMON} bind builtin caller compgen complete compopt declare dirs disown enable help history logout mapfile popd pushd readarray shopt suspend`,
  ),
  zsh: words(
    `${COMMON} autoload bindkey builtin bye cap chdir clone compadd comparguments compcall compctl compdescribe compfiles ` +
      'compgroups compquote compset comptags comptry compvalues declare dirs disable disown echotc echoti emulate enable float ' +
      'functions getcap getln history integer limit log logout popd print private pushd pushln r rehash sched setcap setopt ' +
      'stat suspend syserror sysopen sysread sysseek syswrite ttyctl unfunction unhash unlimit unsetopt vared where which ' +
      'whence zcompile zformat zftp zle zmodload zparseopts zprof zpty zregexparse zselect zsocket zstat zstyle zsystem ztcp',
  ),
  sh: words(
    `${COMMON} array autoload bind builtin caller chdir compgen complete compopt compound declare dirs disown echotc echoti ` +
      'enable enum float functions global help hist history integer login logout mapfile nameref popd print pushd r ' +
      'readarray redirect rename shopt stop suspend vared whence typeset bye cat mknod realpath',
  ),
};

/** Words that begin another grammar in one of the shells, or change how the rest is read. */
const RESERVED: Readonly<Record<PosixVariant, ReadonlySet<string>>> = {
  bash: words('[[ ]] { } ! function select coproc time'),
  zsh: words(
    '[[ ]] { } ! - function select coproc time repeat foreach end nocorrect noglob always declare float integer',
  ),
  sh: words('[[ ]] { } ! function select coproc time namespace repeat foreach end typeset declare'),
};

export const isBuiltin = (name: string, variant: PosixVariant): boolean => BUILTINS[variant].has(name);

/** Not a program's name at all: reserved, or a job (`%1`, bash(1) "Job Control"). */
export const isReserved = (name: string, variant: PosixVariant): boolean =>
  RESERVED[variant].has(name) || name.startsWith('%');

const isFixed = (word: ReadWord): boolean => !word.dynamic && word.replaced !== true;
const isNumber = (word: ReadWord): boolean => isFixed(word) && /^[0-9]{1,9}$/.test(word.value);

type Rule = (args: readonly ReadWord[], variant: PosixVariant) => boolean;

const anything: Rule = () => true;
const noOptions: Rule = (args) => args.every((word) => isFixed(word) && !/^[-+]/.test(word.value));
const oneNumber: Rule = (args) => args.length === 0 || (args.length === 1 && args.every(isNumber));
const namesOnly: Rule = (args) =>
  args.every((word) => isFixed(word) && isName(word.value) && !isSpecialVariable(word.value, true));

/** A conversion that reads a number reads an expression in zsh and ksh; `-v NAME` assigns. */
const isPrintfPlain: Rule = (args, variant) => {
  const [format] = args;
  if (format === undefined || !isFixed(format) || format.value.startsWith('-')) return false;
  return variant === 'bash' || !/%(?![sbc%])/.test(format.value);
};

const UNARY = words('-b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z -O -G -N');
const BINARY = words('= == != < > -nt -ot -ef');
const NUMERIC = words('-eq -ne -lt -le -gt -ge');

/** Only forms whose operator is written and whose operands stay one word each: no value can become an operator. */
const isTestPlain: Rule = (all, variant) => {
  const args = all[0]?.value === '!' && all.length > 1 ? all.slice(1) : all;
  if (args.some((word) => !word.single || word.replaced)) return false;
  const [first, second, third] = args;
  if (first === undefined || second === undefined) return true;
  if (third === undefined) return isFixed(first) && UNARY.has(first.value);
  if (args.length > 3 || !isFixed(second)) return false;
  if (BINARY.has(second.value)) return true;
  if (!NUMERIC.has(second.value)) return false;
  return variant === 'bash' || [first, third].every((word) => isFixed(word) && /^-?[0-9]{1,9}$/.test(word.value));
};

const isBracketPlain: Rule = (args, variant) => {
  const last = args.at(-1);
  return last !== undefined && isFixed(last) && last.value === ']' && isTestPlain(args.slice(0, -1), variant);
};

const SET_LETTERS: Readonly<Record<PosixVariant, RegExp>> = {
  bash: /^[-+][eufxvC]+$/,
  zsh: /^[-+][eux]+$/,
  sh: /^[-+][eufxvC]+$/,
};
const SET_NAMES = words('errexit nounset pipefail xtrace noglob noclobber verbose');

const isSetPlain: Rule = (args, variant) => {
  for (let i = 0; i < args.length; i++) {
    const word = args[i];
    if (word === undefined || !isFixed(word)) return false;
    if (word.value === '--') return true;
    const cluster = /^([-+])([a-zA-Z]*)o$/.exec(word.value);
    if (cluster) {
      const name = args[++i];
      if (name === undefined || !isFixed(name) || !SET_NAMES.has(name.value)) return false;
      if (cluster[2] && !SET_LETTERS[variant].test(`-${cluster[2]}`)) return false;
    } else if (!SET_LETTERS[variant].test(word.value)) return false;
  }
  return args.length > 0;
};

/** `NAME` and `NAME=value`; a value that begins with `(` is read as an array, subscripts and all. */
const isDeclarationPlain: Rule = (args, variant) =>
  args.every((word) => {
    const [, name = '', value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=([^]*))?$/.exec(word.value) ?? [];
    if (name === '' || isSpecialVariable(name, true)) return false;
    if (word.dynamic) return word.assignment && !value?.startsWith('(') && (variant !== 'sh' || word.single);
    return isFixed(word) && !value?.startsWith('(');
  });

const isReadPlain: Rule = (args, variant) => namesOnly(args[0]?.value === '-r' ? args.slice(1) : args, variant);
const isUnsetPlain: Rule = (args, variant) => namesOnly(args[0]?.value === '-v' ? args.slice(1) : args, variant);
const isWaitPlain: Rule = (args) =>
  args.every((word) => isNumber(word) || (word.dynamic && ['$!', '"$!"'].includes(word.value)));
const isKillPlain: Rule = (args, variant) =>
  variant === 'bash' || args.every((word) => isFixed(word) && /^[-%A-Za-z0-9]+$/.test(word.value));

const RULES: Readonly<Partial<Record<string, Rule>>> = {
  ':': anything,
  true: anything,
  false: anything,
  echo: anything,
  pwd: noOptions,
  times: noOptions,
  type: noOptions,
  jobs: noOptions,
  cd: anything,
  exit: oneNumber,
  return: oneNumber,
  break: oneNumber,
  continue: oneNumber,
  shift: oneNumber,
  umask: oneNumber,
  printf: isPrintfPlain,
  test: isTestPlain,
  '[': isBracketPlain,
  set: isSetPlain,
  export: isDeclarationPlain,
  readonly: isDeclarationPlain,
  unset: isUnsetPlain,
  read: isReadPlain,
  wait: isWaitPlain,
  kill: isKillPlain,
};
const BASH_RULES: typeof RULES = { declare: isDeclarationPlain, typeset: isDeclarationPlain };

/** @param args - without the built-in's own name. */
export function isPlainBuiltin(name: string, args: readonly ReadWord[], variant: PosixVariant): boolean {
  // Programs with these names too, and the built-in does the same.
  if (variant === 'sh' && ['cat', 'realpath', 'mknod', 'rename'].includes(name)) return true;
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : variant === 'bash' ? BASH_RULES[name] : undefined;
  return rule?.(args, variant) ?? false;
}
