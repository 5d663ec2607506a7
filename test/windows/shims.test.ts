// Launchers of package managers: the program they wrap is run in their place, with exact arguments. F-13, F-66.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { CHILD, fromHexLines, toBytes } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { HOSTILE_SHIMS, SHIMS } from '../helpers/shims.ts';
import { ARGUMENTS } from '../helpers/vectors.ts';

const folder = makeFolder();
const bin = join(folder, 'node_modules', '.bin');
const path = join(folder, 'programs');
mkdirSync(bin, { recursive: true });
mkdirSync(path);
// Stands in for node.exe: it prints its arguments.
copyFileSync(CHILD, join(path, 'node.exe'));
mkdirSync(join(folder, 'node_modules', 'tool', 'bin'), { recursive: true });
copyFileSync(CHILD, join(folder, 'node_modules', 'tool', 'bin', 'tool.exe'));
const env = { PATH: `${bin};${path}`, NODE_PATH: 'C:\\before' };
const texts = ARGUMENTS.map((row) => row.value).filter((value) => typeof value === 'string');

describe.each(SHIMS)('$name', ({ name, content, argv, program, env: expectedEnv }) => {
  const file = `shim-${name.replaceAll(/\W+/g, '-')}`;
  writeFileSync(join(bin, `${file}.cmd`), content);
  // What the stand-in does is chosen by its first argument, which here is the launcher's own.
  const inFolder = (word: string): string => word.replace('<root>', folder);

  test('resolves, and the whole matrix stays exact', async () => {
    const result = await run([file, ...texts], { env, windowsShims: 'resolve' });
    expect(result.program).toBe(inFolder(program));
    const shown = fromHexLines(result.stdout.slice(result.stdout.indexOf('\n') + 1)).map(String);
    expect(shown.slice(1)).toEqual([...argv.map(inFolder), ...texts.map((text) => toBytes(text).toString())]);
  });

  test('is refused by default with what it would start', async () => {
    const error: unknown = await run([file], { env }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ERR_BATCH_REFUSED', stage: 'batch', path: join(bin, `${file}.cmd`) });
    expect((error as Error).message).toContain("windowsShims: 'resolve'");
  });

  if (expectedEnv === undefined) return;
  test('sets its variables', async () => {
    const result = await run([file], { env: { ...env, ARGV_SPAWN_SHOW: 'env' }, windowsShims: 'resolve' });
    const shown = fromHexLines(result.stdout).map(String);
    for (const entry of expectedEnv) expect(shown).toContain(entry);
  });
});

describe('the npm that comes with Node', () => {
  const nodeFolder = dirname(process.execPath);

  test.each(['npm', 'npx'])('%s.cmd runs without cmd.exe, and is the real one', async (name) => {
    const environment = { ...process.env, PATH: nodeFolder };
    const result = await run([name, '--version'], { env: environment, windowsShims: 'resolve', timeout: 120_000 });
    const { version } = JSON.parse(readFileSync(join(nodeFolder, 'node_modules', 'npm', 'package.json'), 'utf8')) as {
      version: string;
    };
    expect([result.stdout.trim(), result.code]).toEqual([version, 0]);
    expect(result.program.toLowerCase()).toBe(process.execPath.toLowerCase());
    await expect(run([name], { env: environment })).rejects.toMatchObject({
      code: 'ERR_BATCH_REFUSED',
      detail: `${result.program} ${join(nodeFolder, 'node_modules', 'npm', 'bin', `${name}-cli.js`)}`,
    });
  });

  test("gives way to the npm in npm's global folder, wherever that is set", async () => {
    const global = join(folder, 'global folder');
    const script = join(global, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    mkdirSync(dirname(script), { recursive: true });
    writeFileSync(script, '');
    const npm = SHIMS.find((shim) => shim.name === 'npm.cmd of Node');
    const own = join(folder, 'own');
    mkdirSync(join(own, 'node_modules', 'npm'), { recursive: true });
    writeFileSync(join(own, 'npm.cmd'), npm?.content ?? '');
    const find = async (more: NodeJS.ProcessEnv): Promise<string | undefined> => {
      const { stdout } = await run(['npm', 'x'], { env: { PATH: `${own};${path}`, ...more }, windowsShims: 'resolve' });
      return fromHexLines(stdout.slice(stdout.indexOf('\n') + 1)).map(String)[1];
    };
    const bundled = join(own, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    expect(await find({})).toBe(bundled);
    expect(await find({ NPM_CONFIG_PREFIX: global })).toBe(script);
    expect(await find({ npm_config_prefix: join(folder, 'nowhere') })).toBe(bundled);
    writeFileSync(join(folder, '.npmrc'), `prefix = "${global}"\n`);
    expect(await find({ USERPROFILE: folder })).toBe(script);
    writeFileSync(join(own, 'node_modules', 'npm', 'npmrc'), 'prefix=${APPDATA}\\global folder\r\n');
    expect(await find({ APPDATA: folder })).toBe(script);
    expect(await find({})).toBe(bundled);
  });
});

describe('look-alikes are refused', () => {
  const marker = join(folder, 'it-ran');

  test.each(HOSTILE_SHIMS)('$name', async ({ name, content }) => {
    const file = `bad-${name.replaceAll(/\W+/g, '-')}`;
    writeFileSync(join(bin, `${file}.cmd`), content.replaceAll('<marker>', marker));
    await expect(run([file], { env, windowsShims: 'resolve' })).rejects.toMatchObject({ code: 'ERR_BATCH_REFUSED' });
    expect(existsSync(marker)).toBe(false);
  });
});
