// What the local driver starts a runtime with: settings from options, an environment of its own, secrets that stand nowhere.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { optionValues } from '../../src/core/kinds/template-options.ts';
import type { Run } from '../../src/drivers/driver.ts';
import { folderOf } from '../../src/drivers/local/folder.ts';
import { type LocalWorld, localWorld, never, reasonOf, runOf } from './local-world.ts';

const local = suite('the local driver');

const inWorld = (what: string, prove: (world: LocalWorld) => Promise<void>) =>
  local(what, async () => {
    const world = await localWorld();
    try {
      await prove(world);
    } finally {
      await world.close();
    }
  });

/** Every option, and what the runtime is to make of it; modules and their registry are proved elsewhere. */
const all: Required<Omit<Run['options'], 'paletteModules'>> = {
  disableEditor: true,
  editorPath: '/edit',
  dashboardPath: '/board',
  codeEditor: 'ace',
  contextStorage: 'file',
  functionExternalModules: true,
  theme: 'dark',
  pageTitle: 'A page',
  headerTitle: 'A header',
  timeZone: 'Asia/Tokyo',
  paletteAllowInstall: false,
  excludedNodes: '90-exec.js,10-file.js',
  catalogues: ['https://nodes.example.com/catalogue.json'],
  npmrc: { value: '//registry.example.com/:_authToken=registry-secret' },
  apiMaxLength: '7mb',
  debugMaxLength: 77,
  httpAuth: { username: 'caller', password: { value: 'caller-secret' } },
  httpCors: { origins: ['https://a.example', 'https://b.example'], methods: ['GET', 'PUT'] },
  healthCheckIntervalMs: 5000,
};

inWorld('makes of each option what the runtime knows by it', async ({ driver: { runner }, seenBy, at }) => {
  assert.equal(
    Object.keys(optionValues).filter((name) => !(name in all)),
    ['paletteModules'],
  );
  await runner.start(runOf('a', 'good', all), never);
  const { settings, env } = seenBy('a');
  const { uiPort, userDir, credentialSecret, adminAuth, httpAdminMiddleware, logging, ...rest } = settings;
  assert.type(uiPort, 'number');
  assert.equal([userDir, credentialSecret], [at('a', 'home'), 'the credential secret']);
  assert.equal(rest, {
    uiHost: '127.0.0.1',
    flowFile: 'flows.json',
    httpAdminRoot: '/edit',
    disableEditor: true,
    nodesExcludes: ['90-exec.js', '10-file.js'],
    functionExternalModules: true,
    contextStorage: { default: { module: 'localfilesystem' } },
    apiMaxLength: '7mb',
    debugMaxLength: 77,
    httpNodeCors: { origin: ['https://a.example', 'https://b.example'], methods: 'GET,PUT' },
    ui: { path: 'board' },
    externalModules: { palette: { allowInstall: false, allowUpload: false }, modules: { allowInstall: false } },
    editorTheme: {
      theme: 'dark',
      page: { title: 'A page' },
      header: { title: 'A header' },
      codeEditor: { lib: 'ace' },
      palette: { catalogues: ['https://nodes.example.com/catalogue.json'] },
      projects: { enabled: false },
      tours: false,
    },
    telemetry: { enabled: false, updateNotification: false },
  });
  assert.is(env.TZ, 'Asia/Tokyo');
  assert.is(readFileSync(at('a', 'home/.npmrc'), 'utf8'), '//registry.example.com/:_authToken=registry-secret');
  assert.is(statSync(at('a', 'home/.npmrc')).mode & 0o777, 0o600);
});

inWorld('leaves to the runtime what no option says', async ({ driver: { runner }, seenBy }) => {
  await runner.start(runOf('a'), never);
  const { settings, argv } = seenBy('a');
  for (const name of ['nodesExcludes', 'httpAdminRoot', 'apiMaxLength', 'httpNodeCors', 'ui', 'externalModules'])
    assert.not(name in settings, name);
  assert.equal(argv, []);
});

inWorld('gives the memory of the stack to the runtime', async ({ driver: { runner }, seenBy }) => {
  await runner.start({ ...runOf('a'), resources: { memoryMb: 96 } }, never);
  assert.equal(seenBy('a').argv, ['--max-old-space-size=96']);
});

inWorld('gives a runtime its variables, and nothing of Weir’s own', async (world) => {
  const { driver, seenBy, at, instances } = world;
  const { runner } = driver;
  const environment = [
    { name: 'SITE', value: 'main' },
    { name: 'HOME', value: '/elsewhere' },
    { name: 'INSTANCE_RUN', value: 'of another' },
    { name: 'NODE_OPTIONS', value: `--require ${at('a', 'no-such-file.cjs')}` },
    { name: 'npm_config_registry', value: 'http://127.0.0.1:9/' },
    { name: 'TZ', value: 'Asia/Tokyo' },
  ];
  await runner.start({ ...runOf('a'), environment }, never);
  const { env } = seenBy('a');
  const common = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'PATH'];
  assert.equal(
    Object.keys(env)
      .filter((name) => !common.includes(name) && name !== 'NODE_EXTRA_CA_CERTS')
      .sort(),
    ['HOME', 'INSTANCE_RUN', 'SITE', 'TZ', 'npm_config_globalconfig'],
  );
  assert.equal([env.SITE, env.TZ, env.HOME], ['main', 'Asia/Tokyo', at('a', 'home')]);
  const log = readFileSync(folderOf(instances, 'a').log, 'utf8');
  assert.match(
    log,
    /^\S+Z warn {2}the variables HOME, INSTANCE_RUN, NODE_OPTIONS, npm_config_registry left out, because they steer the process of the runtime$/m,
  );
  assert.is.not(env.INSTANCE_RUN, 'of another');
  assert.is(env.PATH?.split(':')[0], join(process.execPath, '..'));
  assert.ok(at('a'));
});

inWorld('writes no secret down but the registry’s, which npm reads', async ({ driver: { runner }, at }) => {
  await runner.start(runOf('a', 'good', all), never);
  const secrets = ['the credential secret', 'caller-secret', 'registry-secret'];
  const files = readdirSync(at('a'), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const holding = files
    .filter(({ name }) => name !== 'seen.json')
    .filter(({ parentPath, name }) => {
      const text = readFileSync(join(parentPath, name), 'utf8');
      return secrets.some((secret) => text.includes(secret));
    });
  assert.equal(
    holding.map(({ name }) => name),
    ['.npmrc'],
  );
  const { pid } = JSON.parse(readFileSync(at('a', 'run.json'), 'utf8'));
  if (process.platform === 'linux')
    for (const file of ['environ', 'cmdline'])
      assert.not(secrets.some((secret) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(secret)));
});

inWorld('takes the registry away again', async ({ driver: { runner }, at }) => {
  await runner.start(runOf('a', 'good', { npmrc: { value: 'x=1' } }), never);
  await runner.stop('a');
  await runner.start(runOf('a'), never);
  assert.not(readdirSync(at('a', 'home')).includes('.npmrc'));
});

inWorld('does not start more open than it should: a secret that cannot be had is a reason', async (world) => {
  const { runner } = world.driver;
  const password = { fromEnv: 'WEIR_SECRET_GONE' };
  const { reason, message } = await reasonOf(
    runner.start(runOf('a', 'good', { httpAuth: { username: 'u', password } }), never),
  );
  assert.equal(
    [reason, message],
    ['SecretMissing', 'the secret of its option httpAuth cannot be had: the variable is not set'],
  );
  assert.is(
    (await reasonOf(runner.start(runOf('a', 'good', { httpAuth: { username: 'u' } }), never))).reason,
    'SecretMissing',
  );
});

local.run();

const logs = suite('the log of an instance');

logs('is read in pages from its end, each line once, whatever is written meanwhile', async () => {
  const world = await localWorld();
  try {
    const { driver } = world;
    assert.equal(await driver.logs.read('a', { limit: 3 }), { lines: [], count: 0 });
    await driver.runner.start(runOf('a', 'talks'), never);
    const last = await driver.logs.read('a', { limit: 3 });
    assert.equal(
      last.lines.map(({ message }) => message),
      ['line 97', 'line 98', 'line 99'],
    );
    const read: string[] = [];
    for (let before: number | undefined, more = true; more; ) {
      const page = await driver.logs.read('a', { limit: 7, before });
      read.unshift(...page.lines.map(({ message }) => message));
      before = page.next;
      more = before !== undefined;
    }
    assert.equal(
      read,
      Array.from({ length: 100 }, (_, index) => `line ${index}`),
    );
    assert.is(last.count, 100);
  } finally {
    await world.close();
  }
});

logs.run();
