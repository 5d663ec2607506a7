// Stages of cmd.exe text, as hints. Variables, escapes and blocks leave the scan unresolved; what is read is never
// complete.

import { addHintStage } from './powershell-hints.ts';
import type { StageContext } from './stage-context.ts';

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const BEYOND = /[%!^()\u0000\r\n]|(?:^|&|\|)\s*(?:for|if|call|start|goto|set)\b/i;
const TOKEN =
  /[ \t,;=]+|(?<separator>&&|\|\||&|\|)|(?<redirect>[0-9]?(?:>>?|<)(?:&[0-9])?)|(?<word>(?:"[^"]*(?:"|$)|[^\s&|<>,;="])+)/gy;

export function scanCmd(text: string, context: StageContext): void {
  const { facts } = context;
  facts.leaveOpen('windows_dialect', 'cmd');
  if (BEYOND.test(text)) facts.unresolve('unknown_syntax', 'cmd');
  let argv: string[] = [];
  let pending: string | undefined;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) {
      facts.unresolve('syntax_error', 'cmd');
      break;
    }
    const { separator, redirect, word } = groups;
    if (word !== undefined) {
      const value = word.replaceAll('"', '');
      if (pending === undefined) argv.push(value.replace(/^@/, ''));
      else facts.addRedirect({ operator: pending, destination: value, dynamic: false, writes_file: pending !== '<' });
      pending = undefined;
    } else if (redirect !== undefined) {
      pending = redirect.includes('&') ? undefined : redirect.replace(/^[0-9]/, '');
    } else if (separator !== undefined) {
      addHintStage(argv, context);
      argv = [];
    }
  }
  addHintStage(argv, context);
}
