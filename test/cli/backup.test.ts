// timeout: 600
// Backups by the command: of a server that runs, of the instances' own files, and back into a server that has all of it.
import {
  cpSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeTree } from '../../src/drivers/local/deep.ts';
import { openStore } from '../../src/store/json-file.ts';
import { makeDeep } from '../support/deep-folders.ts';
import { type Serving, serve } from '../support/serving.ts';
import { type TemporaryFolder, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { runHere } from './world.ts';

const fixture = join(import.meta.dirname, '../store/fixtures/format-1');
const token = 'weirp_GeTOHY3yPMjQu30DmyO6NohO6b2oHW7dN9Lz9Amv2OMvDf';

const commands = suite<{ here: TemporaryFolder }>('backup and restore');

commands.before.each(async (context) => {
  context.here = temporaryFolder();
});
commands.after.each(async ({ here }) => {
  process.chdir('/');
  await removeTree(join(here.path, '.weir'));
  await here.remove();
});

commands(
  'remove what one left that was killed, and nothing that is still being written or is no backup',
  async ({ here }) => {
    const weir = await withFixture(here);
    await writeFiles(here.path, {
      'backups/weir-20261121T100000.000Z.tar.gz.tmp': 'begun long ago',
      'backups/weir-20261121T100001.000Z.tar.gz.tmp': 'begun just now',
      'backups/weir-20261121T100002.000Z.tar.gz': 'whole',
      'backups/notes.tmp': 'of somebody',
    });
    const old = new Date(Date.now() - 11 * 60_000);
    for (const name of ['weir-20261121T100000.000Z.tar.gz.tmp', 'weir-20261121T100002.000Z.tar.gz', 'notes.tmp'])
      utimesSync(join(here.path, 'backups', name), old, old);
    const made = await weir('backup --out backups');
    assert.is(made.code, 0, made.stderr);
    assert.match(
      made.stderr,
      /backups\/weir-20261121T100000\.000Z\.tar\.gz\.tmp was removed: it is what a backup left/,
    );
    const left = readdirSync(join(here.path, 'backups')).sort();
    assert.equal(left.slice(0, 3), [
      'notes.tmp',
      'weir-20261121T100001.000Z.tar.gz.tmp',
      'weir-20261121T100002.000Z.tar.gz',
    ]);
    assert.is(left.length, 4, left.join());
  },
);

commands('take a running server to another one, with everything that there was', async ({ here }) => {
  const weir = await withFixture(here);
  const { id } = await instanceIn(here.path);
  await writeFiles(here.path, {
    [`.weir/instances/${id}/home/flows.json`]: '[{"id":"n1"}]',
    [`.weir/instances/${id}/home/flows_cred.json`]: '{}',
    [`.weir/instances/${id}/home/context/global/global.json`]: '{"n":1}',
    [`.weir/instances/${id}/home/package.json`]: '{"dependencies":{"node-red-node-pi":"1"}}',
    [`.weir/instances/${id}/home/node_modules/node-red-node-pi/index.js`]: '',
    [`.weir/instances/${id}/home/.npmrc`]: 'secret',
    [`.weir/instances/${id}/modules.json`]: '{"wanted":["node-red-node-pi@1"],"npmrc":null}',
    [`.weir/instances/${id}/port`]: '1880\n',
    '.weir/instances/nobody/home/flows.json': '[]',
    '.weir/stacks/5.0.7/package.json': '{}',
  });
  symlinkSync('/etc/hostname', join(here.path, `.weir/instances/${id}/home/link`));
  writeFileSync(join(here.path, 'outside'), 'secret');
  linkSync(join(here.path, 'outside'), join(here.path, `.weir/instances/${id}/home/second`));
  makeDeep(join(here.path, `.weir/instances/${id}/home`));
  const first = await serve(here, ['tree']);
  const before = await ask(first, '/api/v1/users');
  assert.is(before.body.count, 2);
  const made = await weir('backup --out .');
  assert.is(made.code, 0, made.stderr);
  assert.match(made.stderr, /left out: ".*\/home\/second": it is no plain file, or has a second name\n/);
  assert.match(made.stderr, /left out: ".*\/home\/nnn.*": its path is too long\n/);
  const file =
    /(weir-\d{8}T\d{6}\.\d{3}Z\.tar\.gz): \d+ files of the store at commit \d+, \S+ kB, read back and checked\n/.exec(
      made.stdout,
    )?.[1];
  assert.ok(file, made.stdout);
  assert.match(made.stdout, /\nits secrets are encrypted with the key [0-9a-f]{8}, and that is not in it: keep a copy/);
  assert.is(statSync(join(here.path, file)).mode & 0o777, 0o600);
  assert.is((await ask(first, '/api/v1/stacks', { name: 'later', spec: { runtime: '1' } })).status, 201);
  await stop(first);
  const back = await weir(`restore ${file} --store other --secret-key-file .weir/secret.key`);
  assert.is(back.code, 0, back.stderr);
  assert.match(back.stdout, /other: \d+ files restored, the store at commit \d+ as of .* \(Weir 1\.2\.3\)\n$/);
  const home = join(here.path, `other/instances/${id}/home`);
  assert.is(readFileSync(join(home, 'flows.json'), 'utf8'), '[{"id":"n1"}]');
  assert.is(readFileSync(join(home, 'context/global/global.json'), 'utf8'), '{"n":1}');
  assert.is(readFileSync(join(home, '../port'), 'utf8'), '1880\n');
  // Packages are not in it, and so have to be installed.
  assert.is(readFileSync(join(home, '../modules.json'), 'utf8'), '{"install":true}');
  for (const name of ['node_modules', '.npmrc', 'link', 'second', '../../nobody'])
    assert.not(existsSync(join(home, name)), name);
  assert.not(existsSync(join(here.path, 'other/stacks')));
  const key = ['--secret-key-file', '.weir/secret.key'];
  const second = await serve(here, ['tree', '--store', 'other', ...key]);
  assert.equal((await ask(second, '/api/v1/users')).body, before.body);
  assert.is((await ask(second, '/api/v1/stacks/later')).status, 404);
  assert.is((await ask(second, `/api/v1/instances/${id}`)).body.name, 'flows');
  await stop(second);
});

commands('of a store that an older version left show all of it: export, then plan, is empty', async ({ here }) => {
  const weir = await withFixture(here);
  const planned = await weir('plan tree --detailed-exitcode');
  assert.is(planned.code, 0, planned.stderr);
  const server = await serve(here, ['tree']);
  for (const path of ['users', 'teams', 'stacks', 'instance-types', 'team-types', 'templates', 'sso-configs'])
    assert.is((await ask(server, `/api/v1/${path}`)).status, 200, path);
  for (const path of ['audit-log', 'stats', 'config', 'config/history', 'config/plan', 'tokens', 'invitations'])
    assert.is((await ask(server, `/api/v1/admin/${path}`)).status, 200, path);
  await stop(server);
});

commands('say which key a backup takes, and whether it is in it', async ({ here }) => {
  const weir = await withFixture(here);
  assert.is((await weir('bootstrap --store one')).code, 0);
  const without = await weir('backup --store one --out a.tar.gz');
  const [, id] = /\nits secrets are encrypted with the key (\w{8}), and that is not in it: /.exec(without.stdout) ?? [];
  assert.ok(id, without.stdout);
  const refused = await weir('restore a.tar.gz --store two');
  assert.is(refused.code, 5);
  assert.match(refused.stderr, `are encrypted with the key ${id}, and that is not in `);
  assert.not(existsSync('two'));
  const withKey = await weir('backup --store one --with-key --out b.tar.gz');
  assert.match(withKey.stdout, `encrypted with the key ${id}, and that is in it: whoever has the file can read them\n`);
  const { code, stdout } = await weir('restore b.tar.gz --store two');
  assert.is(code, 0);
  assert.match(stdout, `${join(here.path, 'two/secret.key')}: the key came with the backup`);
  assert.is((await weir('status --store two')).code, 0);
  const absent = await weir('backup --store one --with-key --secret-key-file nowhere --out c.tar.gz');
  assert.equal([absent.code, existsSync('c.tar.gz')], [5, false]);
});

commands('of a store in use do not give it another key: 5', async ({ here }) => {
  const weir = await withFixture(here);
  const store = await openStore(join(here.path, '.weir'), { create: false, log: () => {} });
  const refused = await weir('store rekey');
  assert.is(refused.code, 5);
  assert.match(refused.stderr, /is in use by process/);
  await store.close();
  const done = await weir('store rekey');
  assert.is(done.code, 0, done.stderr);
  assert.match(done.stdout, /all secrets are encrypted with the key \w{8} now, and nothing wants another one\n/);
  assert.match(done.stdout, /secret\.key\.old: \w{8}, for backups from before; delete it once there are none\n$/);
});

commands('say what cannot be done, and why', async ({ here }) => {
  const weir = await withFixture(here);
  const outcome = async (line: string) => {
    const { code, stderr } = await weir(line);
    return `${code} ${stderr.replaceAll(`${here.path}/`, '').split('\n')[0]}`;
  };
  assert.is(await outcome('backup'), '64 weir: backup needs a file or a folder to write to: add --out FILE');
  assert.is(
    await outcome('backup --store nowhere --out b.tar.gz'),
    '5 weir: there is no store in nowhere: name the folder of one with --store',
  );
  assert.is(
    await outcome('backup --out nowhere/b.tar.gz'),
    '5 weir: nowhere/b.tar.gz cannot be written, because there is no folder nowhere: make it first',
  );
  assert.is((await weir('backup --out b.tar.gz')).code, 0);
  assert.is(await outcome('backup --out b.tar.gz'), '5 weir: b.tar.gz exists already: name another file, or a folder');
  assert.is(
    await outcome('restore b.tar.gz'),
    '3 weir: nothing was restored into .weir, because there is a store in it: name another folder, or move it away',
  );
  assert.match(
    await outcome('restore nowhere.tar.gz --store other'),
    /^5 weir: nowhere\.tar\.gz cannot be read, because there is no such file or folder/,
  );
  assert.is(
    await outcome('restore tree/weir.yaml --store other'),
    '5 weir: tree/weir.yaml is not a backup that "weir backup" has written, or its beginning is damaged',
  );
  assert.match(await outcome('restore'), /^64 weir: /);
  assert.not(existsSync(join(here.path, 'other')));
  // An empty folder, as a volume that was just mounted is one, keeps being that folder.
  await writeFiles(here.path, { 'volume/lost+found/.keep': '' });
  rmSync(join(here.path, 'volume/lost+found/.keep'));
  assert.is((await weir('restore b.tar.gz --store volume')).code, 0);
  assert.is((await weir('status --store volume')).code, 0);
});

commands.run();

type Weir = (line: string) => ReturnType<typeof runHere>;

/** The store of the fixture in `.weir`, and the tree that it exports in `tree`. */
async function withFixture({ path }: TemporaryFolder): Promise<Weir> {
  process.chdir(path);
  cpSync(fixture, join(path, '.weir'), { recursive: true });
  const weir: Weir = (line) => runHere(line.split(' '), path);
  assert.is((await weir('export --out tree')).code, 0);
  return weir;
}

async function instanceIn(path: string): Promise<{ readonly id: string }> {
  const store = await openStore(join(path, '.weir'), { create: false, readOnly: true });
  const [instance] = store.read().all('Instance');
  await store.close();
  if (!instance) throw new Error('the fixture has no instance');
  return instance;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
async function ask({ url }: Serving, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
  const method = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(url + path, { headers, ...method });
  return { status: response.status, body: await response.json() };
}

async function stop({ child, ended }: Serving): Promise<void> {
  child.kill('SIGTERM');
  assert.is((await ended).code, 0);
}
