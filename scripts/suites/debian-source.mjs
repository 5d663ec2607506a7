// Fetches the source tarball of a Debian package into an ignored folder, with apt and without root: a configuration of
// its own, so that the machine's is neither used nor changed. apt checks the signatures.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const CACHE = fileURLToPath(new URL('../../node_modules/.cache/argv-spawn-suites/', import.meta.url));
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

function call(program, args, options = {}) {
  const result = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
  if (result.error) throw result.error;
  return result;
}

/** The mirror this machine uses anyway. */
function findMirror() {
  const { stdout } = call('apt-get', [
    'indextargets',
    '--format',
    '$(ORIGIN) $(SITE) $(RELEASE)',
    'Created-By: Packages',
  ]);
  const line = stdout.split('\n').find((one) => one.startsWith('Debian ') && !one.includes('security'));
  if (line === undefined) throw new Error('apt knows no Debian mirror on this machine; run apt-get update first');
  return line.split(' ')[1];
}

function makeOptions(suites) {
  const home = join(CACHE, 'apt');
  for (const folder of ['parts', 'lists/partial', 'cache/archives/partial'])
    mkdirSync(join(home, folder), { recursive: true });
  const source = `Types: deb-src\nURIs: ${findMirror()}\nSuites: ${suites.join(' ')}\nComponents: main\nSigned-By: ${KEYRING}\n`;
  writeFileSync(join(home, 'parts', 'debian.sources'), source);
  const settings = {
    'Dir::Etc::SourceList': '/dev/null',
    'Dir::Etc::SourceParts': join(home, 'parts'),
    'Dir::State::Lists': join(home, 'lists'),
    'Dir::Cache': join(home, 'cache'),
    'APT::Sandbox::User': '', // the download folder belongs to whoever runs this
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

/** Newest version of `name` that starts with `prefix`, as the suites list it. */
function findVersion(options, name, prefix) {
  const { stdout } = call('apt-cache', [...options, 'showsrc', name]);
  const versions = [...stdout.matchAll(/^Version: (.*)$/gm)].map(([, version]) => version);
  const found = versions.filter((version) => version.startsWith(prefix)).at(-1);
  if (found === undefined) throw new Error(`no source of ${name} ${prefix}* (there are: ${versions.join(', ')})`);
  return found;
}

/**
 * @param members - paths inside the tarball, without its top folder; all of it when absent.
 * @returns the folder with the unpacked source and its version. A second call finds it there.
 */
export function fetchSource({ name, version: prefix, suites, members }) {
  const done = join(CACHE, `${name}-${prefix}`);
  if (!existsSync(done)) {
    const downloads = join(CACHE, 'downloads', name);
    mkdirSync(downloads, { recursive: true });
    const options = makeOptions(suites);
    const update = call('apt-get', [...options, 'update', '-q']);
    if (update.status !== 0) throw new Error(`apt-get update failed:\n${update.stderr}`);
    const version = findVersion(options, name, prefix);
    // More than one tarball may belong to it; the main one is wanted, and looked for below.
    const args = [...options, 'source', '-q', '--tar-only', '--download-only', `${name}=${version}`];
    const { stderr } = call('apt-get', args, { cwd: downloads });
    const tarball = readdirSync(downloads).find((file) => /\.orig\.tar\.\w+$/.test(file));
    if (tarball === undefined) throw new Error(`the source of ${name} ${version} could not be fetched:\n${stderr}`);
    const unpacked = join(CACHE, `unpacking-${name}`);
    rmSync(unpacked, { recursive: true, force: true });
    mkdirSync(unpacked);
    const wanted = members?.map((member) => `*/${member}`) ?? [];
    const wildcards = members ? ['--wildcards', '--no-wildcards-match-slash'] : [];
    const tar = call('tar', [
      '-xf',
      join(downloads, tarball),
      '--strip-components=1',
      '-C',
      unpacked,
      ...wildcards,
      ...wanted,
    ]);
    if (tar.status !== 0) throw new Error(`tar failed:\n${tar.stderr}`);
    renameSync(unpacked, done);
  }
  return done;
}
