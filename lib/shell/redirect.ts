// One redirect: what it opens, and whether the shells agree on that.

import type { Redirect, Redirection } from './posix-parser.ts';
import { readWord } from './posix-word.ts';
import type { WordContext } from './posix-word.ts';

const DUPLICATE = /^(?:[0-9]+-?|-)$/;
const WRITES = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);
/** bash expands the word after `>&` twice, and reads `-x` as "close, then x": only text that both leave alone. */
const PLAIN_TARGET = /^[A-Za-z0-9_./][A-Za-z0-9_./@%+,-]*$/;

export function readRedirect(redirect: Redirection, context: WordContext): void {
  const { facts, variant } = context;
  if (!facts.countNode()) return;
  const { descriptor } = redirect;
  if (descriptor?.type === 'FileDescriptorVariable') facts.unresolve('variant_syntax', `{${descriptor.name}}`);
  else if (descriptor && variant !== 'bash' && descriptor.value > 9) {
    // dash, zsh, ksh and mksh take the number as an argument.
    facts.unresolve('variant_syntax', `${descriptor.value}${redirect.operator}`);
  }
  if (redirect.type === 'HereDoc') {
    facts.leaveOpen('here_document', redirect.operator);
    if (redirect.closing === undefined) facts.unresolve('syntax_error', 'here-document without its end');
    const { delimiter, body } = redirect;
    if (delimiter === undefined) facts.unresolve('syntax_error', redirect.operator);
    if (delimiter?.quoted) return;
    // Quotes inside ${...} of a body do not protect, and the tree takes them as if they did.
    if (/\$\{[^}]*['"]/.test(body.text)) facts.unresolve('unknown_syntax', 'quotes in a here-document');
    readWord({ type: 'Word', text: '', value: '', pos: 0, end: 0, parts: body.parts ?? [] }, inBody(context), 'body');
    return;
  }
  if (redirect.type === 'HereString') {
    facts.leaveOpen('here_string', redirect.operator);
    if (variant === 'sh') facts.unresolve('variant_syntax', redirect.operator);
    if (redirect.target) readWord(redirect.target, context);
    return;
  }
  readFileRedirect(redirect, context);
}

/** Words of a body follow no variant's rules for words: nothing in it is a glob, a tilde or a name. */
const inBody = (context: WordContext): WordContext => ({ ...context, variant: 'bash' });

function readFileRedirect(redirect: Redirect, context: WordContext): void {
  const { facts, variant } = context;
  const { operator, target, descriptor } = redirect;
  if (target === undefined) {
    facts.unresolve('syntax_error', operator);
    return;
  }
  const word = readWord(target, context);
  const copies = operator === '>&' || operator === '<&';
  if (copies && !word.dynamic && DUPLICATE.test(target.text)) {
    if (variant !== 'bash' && target.text.length > 1) facts.unresolve('variant_syntax', `${operator}${target.text}`);
    return;
  }
  if (operator === '&>' || operator === '&>>') {
    if (variant === 'sh') facts.unresolve('variant_syntax', operator);
  }
  if (copies) {
    const plain = PLAIN_TARGET.test(target.text) && !/^[0-9]/.test(target.text);
    if (operator === '<&' || descriptor !== undefined || variant === 'sh' || !plain) {
      facts.unresolve('ambiguous_redirect', `${operator}${target.text}`);
    }
    if (operator === '<&') return;
  }
  if (word.dynamic) facts.unresolve('dynamic_redirect', `${operator} ${target.text}`);
  facts.addRedirect({
    operator,
    destination: word.dynamic ? null : word.value,
    dynamic: word.dynamic,
    writes_file: WRITES.has(operator),
  });
}
