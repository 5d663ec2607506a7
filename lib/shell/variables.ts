// Variables whose assignment changes what the shell does next, or is itself evaluated.

/**
 * bash(1) "Shell Variables", zshparam(1) and zshmodules(1), mksh(1), ksh(1). Integer ones evaluate what is assigned to
 * them: RANDOM='a[$(cmd)]' runs cmd in bash and mksh.
 */
const SPECIAL: ReadonlySet<string> = new Set(
  (
    'IFS ENV SHELLOPTS RANDOM SRANDOM SECONDS LINENO OPTIND OPTARG OPTERR EPOCHREALTIME EPOCHSECONDS ' +
    'UID EUID GID EGID PPID SHLVL DIRSTACK GROUPS HISTCMD PIPESTATUS FUNCNAME FUNCNEST REPLY MAPFILE COPROC ' +
    'PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT_COMMAND PROMPT_DIRTRIM RPS1 RPS2 RPROMPT SPROMPT POSTEDIT PROMPT2 PROMPT3 PROMPT4 ' +
    'CDPATH GLOBIGNORE EXECIGNORE FIGNORE TIMEFORMAT TIMEFMT TMOUT FCEDIT HISTCONTROL HISTFILE HISTSIZE ' +
    'HISTFILESIZE HISTIGNORE HISTTIMEFORMAT HISTCHARS IGNOREEOF INPUTRC MAIL MAILCHECK MAILPATH POSIXLY_CORRECT ' +
    'CHILD_MAX COLUMNS LINES PWD OLDPWD ARGC ARGV0 CPUTYPE HOST HOSTNAME HOSTTYPE KEYBOARD_HACK KEYTIMEOUT LISTMAX ' +
    'LOGCHECK MACHTYPE MANPATH MODULE_PATH NULLCMD READNULLCMD OSTYPE PSVAR SAVEHIST STTY TMPPREFIX TMPSUFFIX ' +
    'TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTY TTYIDLE USERNAME VENDOR WATCH WATCHFMT WORDCHARS REPORTMEMORY REPORTTIME ' +
    'DIRSTACKSIZE HISTORY_IGNORE KSH_VERSION KSHEGID KSHGID KSHUID USER_ID PGRP PATHSEP EXECSHELL VISUAL EDITOR ' +
    'FPATH FCEDIT SH_OPTIONS SHCOMP PPID LC_ALL ' +
    'argv status path cdpath fpath fignore histchars mailpath manpath module_path prompt psvar pipestatus signals watch ' +
    'zle_bracketed_paste zsh_eval_context zsh_scheduled_events zle_highlight ' +
    'aliases builtins commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source dis_galiases ' +
    'dis_patchars dis_reswords dis_saliases epochtime errnos funcfiletrace funcsourcetrace funcstack functions ' +
    'functions_source functrace galiases history historywords jobdirs jobstates jobtexts keymaps langinfo mapfile ' +
    'modules nameddirs options parameters patchars reswords saliases sysparams termcap terminfo userdirs usergroups ' +
    'widgets compstate words'
  ).split(' '),
);
const SPECIAL_PREFIX = /^(BASH|ZSH|ZDOTDIR|COMP_|READLINE_|LD_|DYLD_)/;

/** Decide which program a name finds; harmless to the shell as a prefix of one command, not as its own state. */
const LOOKUP: ReadonlySet<string> = new Set(['PATH', 'HOME', 'SHELL', 'LANG', 'TERM', 'EDITOR', 'VISUAL', 'LC_ALL']);

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const isName = (text: string): boolean => NAME.test(text);

/** @param lasting - the value stays after the command. */
export function isSpecialVariable(name: string, lasting: boolean): boolean {
  if (!isName(name) || name === '_') return true;
  if (LOOKUP.has(name)) return lasting && name !== 'LANG' && name !== 'TERM';
  if (/^(LD|DYLD)_/.test(name)) return lasting;
  return SPECIAL.has(name) || SPECIAL_PREFIX.test(name);
}

/** Variables of an environment that make a shell run other code than the command says; null when there is none. */
export function findRedefiningVariable(env: Readonly<Record<string, string | undefined>>): string | null {
  const suspect = /^(BASH_ENV|ENV|ZDOTDIR|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|BASH_LOADABLES_PATH|BASH_COMPAT)$/;
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (suspect.test(name) || value.startsWith('() {'))) return name;
  }
  return null;
}
