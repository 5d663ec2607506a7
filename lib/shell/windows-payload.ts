// A PowerShell or cmd command line inside another command. Its stages are hints: never complete.

import { Buffer } from 'node:buffer';
import { scanCmd } from './cmd-hints.ts';
import { scanPowerShell } from './powershell-hints.ts';
import { limitText } from './text-limits.ts';
import { addStage, within } from './stage-context.ts';
import type { SimpleCommand, StageContext } from './stage-context.ts';

type Payload = { readonly text: string } | { readonly none: true } | null;

/** about_Pwsh: every prefix of an option's name means the option, `/` works as `-`. */
function findPowerShellPayload(words: readonly string[]): Payload {
  for (let i = 0; i < words.length; i++) {
    const word = words[i]?.toLowerCase() ?? '';
    const name = word.replace(/^[-/\u2013\u2014\u2015]/, '');
    if (name === word) return null; // the name of a script
    if (name !== '' && 'command'.startsWith(name)) return { text: words.slice(i + 1).join(' ') };
    if (name === 'ec' || (name.length > 0 && 'encodedcommand'.startsWith(name))) {
      return { text: Buffer.from(words[i + 1] ?? '', 'base64').toString('utf16le') };
    }
    if (['version', 'help', '?'].includes(name) && words.length === 1) return { none: true };
    if (/^(executionpolicy|ex|ep|windowstyle|w|version|outputformat|o|inputformat|workingdirectory|wd)$/.test(name))
      i++;
  }
  return null;
}

/** cmd /?: the first /c or /k takes the rest of the line. */
function findCmdPayload(words: readonly string[]): Payload {
  const at = words.findIndex((word) => /^\/[ckr]/i.test(word));
  if (at < 0) return null;
  const glued = words[at]?.slice(2) ?? '';
  return { text: [...(glued === '' ? [] : [glued]), ...words.slice(at + 1)].join(' ') };
}

export function emitWindowsPayload(command: SimpleCommand, at: number, name: string, context: StageContext): void {
  const { facts } = context;
  const args = command.words.slice(at + 1);
  addStage(command, at, context);
  facts.leaveOpen('windows_dialect', name);
  if (args.some((word) => word.dynamic || word.replaced)) {
    facts.unresolve('dynamic_payload', name);
    return;
  }
  const texts = args.map(({ value }) => value);
  const payload = name === 'cmd' ? findCmdPayload(texts) : findPowerShellPayload(texts);
  if (payload === null) facts.unresolve('shell_reads_script', name);
  else if ('text' in payload) {
    const { readable, excess } = limitText(payload.text);
    if (excess !== null) facts.unresolve('limit_reached', excess);
    const inner = within(command, context);
    if (name === 'cmd') scanCmd(readable, inner);
    else scanPowerShell(readable, inner);
  }
}
