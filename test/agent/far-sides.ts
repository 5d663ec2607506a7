// The far sides that the contract suite runs on: a new root, a sandbox, namespaces, and an OpenSSH server of the test's
// own on the loopback interface.

import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CHILD } from '../helpers/child.ts';
import { until } from '../helpers/until.ts';

/** Copies a program and the shared libraries it names into `root`, at their own paths. */
function copyProgram(root: string, program: string, as: string): void {
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  for (const [, library = ''] of libraries) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
  mkdirSync(join(root, dirname(as)), { recursive: true });
  copyFileSync(program, join(root, as));
}

/** A root folder with the fixture program as `/fixture/child`, and a busybox as every name the suite uses. */
export function makeRoot(folder: string): string {
  const root = join(folder, 'root');
  copyProgram(root, CHILD, `/fixture/${basename(CHILD)}`);
  for (const name of ['sh', 'cat', 'sleep', 'pwd', 'env']) copyProgram(root, '/usr/bin/busybox', `/bin/${name}`);
  return root;
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

export interface SshServer {
  readonly host: string;
  /** Options of ssh that reach this server and nothing else of the machine's configuration. */
  readonly options: readonly string[];
  stop(): Promise<void>;
}

/** A real sshd with keys and configuration made for this test. */
export async function startSshServer(folder: string): Promise<SshServer> {
  const at = (name: string): string => join(folder, name);
  for (const name of ['host-key', 'user-key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  }
  copyFileSync(at('user-key.pub'), at('authorized'));
  const port = await findFreePort();
  const config = `ListenAddress 127.0.0.1:${port}
HostKey ${at('host-key')}
AuthorizedKeysFile ${at('authorized')}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 200
`;
  writeFileSync(at('sshd_config'), config);
  mkdirSync('/run/sshd', { recursive: true });
  const server: ChildProcess = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], { stdio: 'ignore' });
  await until('the server answers', () => answers(port));
  return {
    host: `${userInfo().username}@127.0.0.1`,
    options: [
      ...['-F', 'none', '-p', String(port), '-i', at('user-key'), '-o', 'IdentitiesOnly=yes'],
      ...['-o', `UserKnownHostsFile=${at('known')}`, '-o', 'StrictHostKeyChecking=accept-new', '-o', 'LogLevel=ERROR'],
    ],
    stop: async () => {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill();
      await gone;
    },
  };
}
