// weir stacks install: a runtime comes whole or not at all, and what goes wrong is said.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runtimeIn } from '../../src/drivers/local/stack.ts';
import { type FakeRegistry, fakeRegistry } from '../support/fake-registry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { weir } from '../support/weir.ts';

const install = suite('weir stacks install');

let registry: FakeRegistry;
const marker = join(temporaryFolder().path, 'a-script-was-run');

install.before(async () => {
  const scripts = { postinstall: `node -e "require('fs').writeFileSync('${marker}', '')"` };
  registry = await fakeRegistry({
    'node-red': {
      '4.1.15': { 'red.js': '// starts', 'package.json': JSON.stringify({ scripts }) },
      '5.0.7': { 'red.js': '// starts', 'package.json': JSON.stringify({ engines: { node: '>=99' } }) },
      '6.0.0': { 'index.js': '// no runtime' },
    },
  });
});

install.after(() => registry.close());

const fresh = () => temporaryFolder().path;
const stacksInstall = (folder: string, version: string, env: Readonly<Record<string, string>> = {}) =>
  weir(folder, ['stacks', 'install', version], {
    env: { npm_config_registry: registry.url, npm_config_cache: join(folder, 'npm-cache'), ...env },
  });
const left = (folder: string) =>
  existsSync(join(folder, '.weir/stacks')) ? readdirSync(join(folder, '.weir/stacks')) : [];

install('puts a version into the stacks directory below the store, before there is one, and once', async () => {
  const folder = fresh();
  const { code, stdout, stderr } = await stacksInstall(folder, '4.1.15');
  assert.equal([code, stderr], [0, '']);
  assert.is(stdout, `Node-RED 4.1.15 is installed: ${folder}/.weir/stacks/4.1.15\n`);
  assert.equal(left(folder), ['4.1.15']);
  const script = join(folder, '.weir/stacks/4.1.15/node_modules/node-red/red.js');
  assert.is(readFileSync(script, 'utf8'), '// starts');
  assert.not(existsSync(marker), 'no script of a package is run');
  const asked = registry.asked.length;
  const again = await stacksInstall(folder, '4.1.15');
  assert.equal([again.code, registry.asked.length], [0, asked]);
  assert.match(again.stdout, 'is there already');
  assert.is((await weir(folder, ['apply', await tree(folder)])).code, 0, 'a store can still be made there');
});

install('puts it where the platform in the store says', async () => {
  const folder = fresh();
  await weir(folder, ['apply', await tree(folder, '\nspec: {driver: {stacksDirectory: ../runtimes}}')]);
  assert.is((await stacksInstall(folder, '4.1.15')).code, 0);
  assert.equal(readdirSync(join(folder, 'runtimes')), ['4.1.15']);
});

install('is told with the store where that is elsewhere, so that the command can be typed as it stands', async () => {
  const folder = fresh();
  const config = await tree(folder);
  writeFileSync(
    join(folder, config, 'stacks.yaml'),
    '---\nkind: Stack\nmetadata: {name: new}\nspec: {runtime: "4.1.15"}\n',
  );
  const told = async (store: string) => {
    const { stdout } = await weir(folder, ['plan', config, '--store', store]);
    return /no directory (.*): "(weir stacks install .*)" puts it there/.exec(stdout)?.slice(1);
  };
  const line = 'weir stacks install 4.1.15';
  assert.equal(await told('.weir'), ['.weir/stacks/4.1.15', line]);
  assert.equal(await told(join(folder, '.weir')), ['.weir/stacks/4.1.15', line]);
  assert.equal(await told('data/store'), ['data/store/stacks/4.1.15', `${line} --store data/store`]);
  assert.equal(await told("an' other"), ["an' other/stacks/4.1.15", `${line} --store 'an'\\'' other'`]);
  const far = fresh();
  assert.equal(await told(far), [`${far}/stacks/4.1.15`, `${line} --store ${far}`]);
  const missing = await runtimeIn(far, '4.1.15', ` --store ${far}`).catch(({ message }: Error) => message);
  assert.match(String(missing), `"${line} --store ${far}"`);
});

install('is what a stack without its directory is warned of, with the path that is missing', async () => {
  const folder = fresh();
  const config = await tree(folder);
  const stack = (name: string, runtime: string) =>
    `---\nkind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "${runtime}"}\n`;
  writeFileSync(join(folder, config, 'stacks.yaml'), stack('new', '4.1.15') + stack('own', 'ours'));
  const warnings = async () =>
    [...(await weir(folder, ['plan', config])).stdout.matchAll(/^warning\[stack-runtime\] (.*)$/gm)].map(
      ([, text]) => text,
    );
  await weir(folder, ['apply', config]);
  const start = 'instances on it cannot start, because there is no directory';
  const own = (path: string) => `Stack/own: ${start} ${path}/ours: put the runtime there`;
  assert.equal(await warnings(), [
    `Stack/new: ${start} .weir/stacks/4.1.15: "weir stacks install 4.1.15" puts it there`,
    own('.weir/stacks'),
  ]);
  await stacksInstall(folder, '4.1.15');
  assert.equal(await warnings(), [own('.weir/stacks')]);
  const elsewhere = fresh();
  await weir(folder, ['apply', await tree(folder, `\nspec: {driver: {stacksDirectory: ${elsewhere}}}`)]);
  assert.ok((await warnings()).includes(own(elsewhere)), 'in full where it lies elsewhere');
});

install('takes exact versions only', async () => {
  for (const version of ['4', '^4.1.15', 'latest', '../x', '4.1.15 --foo']) {
    const { code, stderr } = await stacksInstall(fresh(), version);
    assert.equal([code, /is no exact version: write one like 5\.0\.7/.test(stderr)], [64, true], version);
  }
  const { code, stderr } = await stacksInstall(fresh(), '');
  assert.is(code, 64);
  assert.match(stderr, /cannot be empty, because "" names nothing: write weir stacks install VERSION\n/);
});

const refusals: readonly (readonly [what: string, version: string, words: RegExp, env?: Record<string, string>])[] = [
  ['a version that the registry does not have', '9.9.9', /because the registry has no such version/],
  [
    'a version that needs another Node',
    '5.0.7',
    /Node-RED 5\.0\.7 cannot be installed, because it does not run on this Node \(v.*\): it needs >=99/,
  ],
  ['what is no runtime', '6.0.0', /because what the registry gave is no runtime of version 6\.0\.0/],
  [
    'a registry that cannot be reached',
    '4.1.15',
    /because the npm registry 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): check its name .*HTTPS_PROXY and NO_PROXY.* npm_config_registry\n$/,
    { npm_config_registry: 'http://127.0.0.1:1' },
  ],
  ['a machine without npm', '4.1.15', /because there is no npm on the PATH: install it/, { PATH: '/nowhere' }],
];

for (const [what, version, words, env] of refusals)
  install(`says why, and leaves nothing behind: ${what}`, async () => {
    const folder = fresh();
    const { code, stderr } = await stacksInstall(folder, version, env);
    assert.is(code, 5, stderr);
    assert.match(stderr, words);
    assert.not.match(stderr, /at file:|node:internal/);
    assert.equal(left(folder), []);
  });

install('does not touch what is there and is no runtime', async () => {
  const folder = fresh();
  mkdirSync(join(folder, '.weir/stacks/4.1.15'), { recursive: true });
  writeFileSync(join(folder, '.weir/stacks/4.1.15/mine'), '');
  const { code, stderr } = await stacksInstall(folder, '4.1.15');
  assert.is(code, 5);
  assert.match(stderr, 'is there and holds no usable runtime: delete it first');
  assert.equal(readdirSync(join(folder, '.weir/stacks/4.1.15')), ['mine']);
});

install('says that it may not write there', async () => {
  const folder = fresh();
  writeFileSync(join(folder, '.weir'), 'a file');
  const { code, stderr } = await stacksInstall(folder, '4.1.15');
  assert.is(code, 5, stderr);
  chmodSync(folder, 0o700);
});

install('may be called twice at once', async () => {
  const folder = fresh();
  const both = await Promise.all([stacksInstall(folder, '4.1.15'), stacksInstall(folder, '4.1.15')]);
  assert.equal(
    both.map(({ code }) => code),
    [0, 0],
  );
  assert.equal(left(folder), ['4.1.15']);
});

install.run();

async function tree(folder: string, more = ''): Promise<string> {
  mkdirSync(join(folder, 'tree'), { recursive: true });
  writeFileSync(join(folder, 'tree/weir.yaml'), `kind: Platform\nmetadata: {name: platform}${more}\n`);
  return 'tree';
}
