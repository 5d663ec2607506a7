// Programs whose arguments are a program again. Used to be stricter only: deny and ask rules look inside them, and a
// structured rule that allows one must say which arguments. A program that is not listed here is not thereby safe.

const WRAPPERS = new Set(
  `busybox chroot chrt command doas env exec flock gosu ionice nice nohup nsenter numactl parallel pkexec prlimit runuser script
  setarch setpriv setsid stdbuf strace su sudo systemd-run taskset time timeout toybox unbuffer unshare watch xargs
  bwrap docker kubectl podman`.split(/\s+/),
);
const SHELLS = new Set(
  'ash bash cmd csh dash elvish fish ksh mksh nu powershell pwsh rbash sh tcsh xonsh yash zsh'.split(' '),
);
const INTERPRETERS = new Set(
  `awk bun deno emacs expect find gawk gdb git go groovy guile irb java julia lua make mawk nawk node npm npx osascript perl php pip
  pnpm python python2 python3 R Rscript ruby sed ssh tclsh ts-node tsx uv uvx vi vim yarn`.split(/\s+/),
);

/** The last part of a path, in lower case and without the endings that Windows adds. */
export function toProgramName(program: string): string {
  const base = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return base
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/\.(exe|com|cmd|bat)$/, '');
}

export const isWrapper = (program: string): boolean => WRAPPERS.has(toProgramName(program));
export const isShell = (program: string): boolean => SHELLS.has(toProgramName(program));

/** `python3.11` counts as `python3`. */
export function runsItsArguments(program: string): boolean {
  const name = toProgramName(program);
  return isWrapper(name) || isShell(name) || INTERPRETERS.has(name) || INTERPRETERS.has(name.replace(/[\d.-]+$/, ''));
}
