// Programs that run their arguments, or code in them. Without a rule for their arguments an entry for one would approve
// everything. A program that is not listed here is not thereby harmless: no list of this kind is complete.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const RUNNERS = words(`
  ash bash cmd csh dash elvish fish ksh ksh93 mksh lksh nu osh powershell pwsh rbash rc sh tcsh xonsh yash zsh
  bwrap chroot chrt chpst command crun daemonize dbus-run-session doas docker env exec fakeroot firejail flatpak flock gosu
  ionice kubectl ld.so lxc-execute ltrace nerdctl nice nohup nsenter numactl parallel perf pkexec podman prlimit proot rlwrap
  run-parts runc runuser schedtool script setarch setpriv setsid setuidgid softlimit ssh-agent start-stop-daemon
  stdbuf strace su sudo systemd-run taskset time timeout torsocks tsocks unbuffer unshare uidmap valgrind watch wine xargs xvfb-run
  at batch crontab entr find fd fdfind inotifywait watchexec
  awk gawk mawk nawk bc dc sed m4 expect tclsh wish perl php python pypy ruby irb lua luajit node nodejs deno bun
  tsx ts-node java jshell groovy kotlin scala guile racket clojure julia r rscript octave gnuplot erl elixir ghci runghc swift
  osascript go cargo rustc dotnet ed ex emacs vi vim nvim view rvim nano less more most man gdb lldb
  make gmake bmake cmake ninja ant mvn gradle bazel rake just npm npx pnpm yarn corepack pip pipx uv uvx gem bundle composer
  ssh scp sftp rsync socat nc ncat telnet mosh tmux screen dtach tar bsdtar cpio zip split csplit dd tee install
  sqlite3 psql mysql mongosh redis-cli openssl curl wget aria2c tcpdump nmap msfconsole ansible terraform vagrant
  insmod modprobe mount systemctl service init kexec ldconfig git-shell cscript wscript mshta rundll32 regsvr32 wmic wsl
  start explorer msbuild schtasks forfiles
`);

/** One file that is many programs: the name it is called by decides. */
const MULTICALL = words('busybox toybox coreutils uutils');

/** The last part of a path in lower case, without the endings that Windows adds. */
export function toProgramName(program: string): string {
  const base = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1);
  return base
    .toLowerCase()
    .replace(/[. ]+$/, '')
    .replace(/\.(exe|com|cmd|bat)$/, '');
}

/** `python3.11` is python, `ld-linux-x86-64.so.2` a loader that runs its argument. */
export function isRunner(program: string): boolean {
  const name = toProgramName(program);
  if (/^ld(-linux|-musl)?[-.\w]*\.so/.test(name)) return true;
  return [name, name.replace(/[-.\d]+$/, '')].some((one) => RUNNERS.has(one) || MULTICALL.has(one));
}

export const isMulticall = (program: string): boolean => MULTICALL.has(toProgramName(program));
