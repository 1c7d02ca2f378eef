// weir doctor: what a machine has and lacks, in words and as JSON, and what of it is an error.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sealKeyOf } from '../../src/store/seal.ts';
import { startCommand } from '../support/run-command.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { type Workspace, workspace } from './world.ts';

const doctor = suite<{ here: Workspace }>('weir doctor');

doctor.before.each(async (context) => {
  context.here = await workspace();
});
doctor.after.each(({ here }) => here.remove());

interface Told {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly state: string;
    readonly detail: string;
    readonly purpose: string;
    readonly remedy?: string;
  }[];
}

async function told(here: Workspace, line: string): Promise<Told & { readonly code: number | null }> {
  const { code, stdout, stderr } = await here.weir(`doctor ${line} --output json`);
  assert.is(stderr, '');
  return { code, ...JSON.parse(stdout) };
}

doctor('says what it looked at, without a tree or a store, and leaves nothing behind', async ({ here }) => {
  rmSync('config', { recursive: true });
  const { code, ok, checks } = await told(here, '--store nowhere/store');
  assert.equal([code, ok], [0, true]);
  const names = checks.map(({ name }) => name);
  for (const name of ['node', 'npm', 'git', 'isolation', 'store', 'instances', 'stacks', 'disk', 'clock'])
    assert.ok(names.includes(name), name);
  assert.is(existsSync('nowhere'), false);
  assert.not(names.includes('mail'));
});

doctor('reads the usual tree, in which no mail is a note and no warning', async ({ here }) => {
  const { code, ok, checks } = await told(here, '');
  assert.equal([code, ok], [0, true]);
  const mail = checks.find(({ name }) => name === 'mail');
  assert.equal([mail?.state, mail?.detail], ['note', 'the tree config names no mail server: none of it is sent']);
  const { stdout } = await here.weir('doctor');
  assert.match(stdout, /\n {2}note {5}mail +the tree config names no mail server/);
  assert.not.match(stdout, /warning +mail/);
});

doctor('looks for the stacks of the tree in the folder that the tree names', async ({ here }) => {
  const stacks = async () => (await told(here, '')).checks.find(({ name }) => name === 'stacks');
  assert.is((await stacks())?.state, 'fine');
  here.write(
    'config/weir.yaml',
    'kind: Platform\nmetadata: {name: platform}\nspec: {driver: {stacksDirectory: elsewhere}}\n',
  );
  const lacking = await stacks();
  assert.is(lacking?.state, 'lacking');
  assert.is(lacking?.detail, `${join(here.path, '.weir/elsewhere')} lacks 4.1.15, which the tree config names`);
  mkdirSync('.weir/elsewhere/4.1.15', { recursive: true });
  assert.is((await stacks())?.state, 'fine');
});

doctor(
  'looks at the folder of the instances, and whether it is the one that the store has them in',
  async ({ here }) => {
    const instances = async (line: string) => {
      const { code, checks } = await told(here, line);
      const found = checks.find(({ name }) => name === 'instances');
      return [code, found?.state, found?.detail];
    };
    assert.equal(await instances('--instances others'), [
      0,
      'fine',
      `${join(here.path, 'others')} (not there yet: weir serve makes it)`,
    ]);
    assert.is(existsSync('others'), false);
    mkdirSync('others/some-id', { recursive: true });
    writeFileSync('.weir/instances-folder', `${join(here.path, 'others')}\n`);
    assert.equal(await instances('--instances others'), [0, 'fine', join(here.path, 'others')]);
    const [code, state, detail] = await instances('');
    assert.equal([code, state], [1, 'missing']);
    assert.match(String(detail), 'add --instances');
  },
);

doctor('tells the key of the store: which it is, where, who may read it, and what it opens', async ({ here }) => {
  const key = async () => {
    const { code, stdout } = await here.weir('doctor --output json');
    const { checks }: Told = JSON.parse(stdout);
    const { state, detail = '', remedy } = checks.find(({ name }) => name === 'key') ?? {};
    return { code, state, detail, remedy };
  };
  const file = join(here.path, '.weir/secret.key');
  const none = await key();
  assert.equal(none, {
    ...{ code: 0, state: 'note', remedy: undefined },
    detail: `${file}: none yet; it is made as the store is first written to`,
  });
  assert.not(existsSync(file));
  await here.weir('apply');
  const id = () => sealKeyOf(Buffer.from(readFileSync(file, 'utf8').split('\n', 1)[0] ?? '', 'base64')).id;
  const first = id();
  const fine = await key();
  assert.equal([fine.code, fine.state], [0, 'fine']);
  assert.is(
    fine.detail,
    `${first} in ${file} (mode 0600); backups made now open with it, and do not hold it unless made --with-key`,
  );
  assert.not.match(JSON.stringify(fine), readFileSync(file, 'utf8').trim());
  chmodSync(file, 0o644);
  const open = await key();
  assert.equal([open.code, open.state, open.remedy], [0, 'lacking', `chmod 600 ${file}`]);
  assert.match(open.detail, '(mode 0644)');
  chmodSync(file, 0o600);
  const another = Buffer.alloc(32, 5).toString('base64');
  writeFileSync(file, `${another}\n${readFileSync(file, 'utf8')}`);
  const both = await key();
  assert.equal([both.state, both.remedy?.includes('weir store rekey')], ['note', true]);
  assert.match(both.detail, `some files still want ${first}, which is there, too`);
  assert.is((await here.weir('store rekey')).code, 0);
  assert.match((await key()).detail, `older backups open with ${first} in ${file}.old`);
  const variable = await told(here, '--secret-key-file .weir/secret.key.old');
  const wrong = variable.checks.find(({ name }) => name === 'key');
  assert.equal([variable.code, wrong?.state], [1, 'missing']);
  assert.match(
    wrong?.detail ?? '',
    `are encrypted with the key ${id()}, and that is not in ${file}.old, which has ${first}`,
  );
});

doctor('says what serve will do about folders that are missing, and it does that', async ({ here }) => {
  const instances = async (line: string) => {
    const { code, checks } = await told(here, line);
    return { code, ...checks.find(({ name }) => name === 'instances') };
  };
  const own = await instances('');
  assert.equal(
    [own.state, own.detail],
    ['fine', `${join(here.path, '.weir/instances')} (not there yet: weir serve makes it)`],
  );
  const fresh = await instances('--store fresh');
  assert.is(fresh.state, 'fine', 'what is made with the store is no news');
  const far = await instances('--instances disk/weir/instances');
  assert.equal([far.code, far.state], [0, 'note']);
  const folder = join(here.path, 'disk/weir');
  assert.is(far.detail, `${folder}/instances is not there, nor is ${folder}: weir serve makes both, in ${here.path}`);
  const server = startCommand(
    process.execPath,
    [launcher, 'serve', '--port', '0', '--instances', 'disk/weir/instances'],
    {
      cwd: here.path,
      env: plainEnvironment(),
    },
  );
  await until('it serves', () => / on (http:\S+)\n/.exec(server.output().stdout)?.[0], { program: server });
  assert.ok(existsSync(join(folder, 'instances')));
  server.child.kill('SIGTERM');
  await server.ended;
  symlinkSync('loop', 'loop');
  for (const path of ['loop', `${'n'.repeat(300)}/here`, 'config/weir.yaml', 'config/weir.yaml/below']) {
    const refused = await instances(`--store other --instances ${path}`);
    assert.equal([refused.code, refused.state], [1, 'missing'], path);
    const { code } = await here.spawn(`serve --port 0 --store other --instances ${path}`);
    assert.is(code, 5, path);
  }
});

doctor('says nothing twice', async ({ here }) => {
  const { checks } = await told(here, '');
  for (const { name, detail, purpose } of checks) {
    const words = detail.toLowerCase().split(' ');
    const twice = words
      .slice(2)
      .map((_, at) => words.slice(at, at + 3).join(' '))
      .filter((three) => purpose.includes(three));
    assert.equal(twice, [], `${name}: ${detail} (${purpose})`);
    for (const sentence of detail.split('. ').filter((one) => one.includes(' ')))
      assert.equal(
        checks.filter((other) => other.name !== name && other.detail.includes(sentence)).map((other) => other.name),
        [],
        sentence,
      );
  }
});

doctor('holds the clock against what the store holds', async ({ here }) => {
  const clock = async () => (await told(here, '')).checks.find(({ name }) => name === 'clock');
  assert.is((await clock())?.state, 'note');
  await here.weir('apply');
  assert.is((await clock())?.state, 'fine');
  const { now } = Date;
  // As on a machine whose clock was set back by an hour after that.
  Date.now = () => now() - 3_600_000;
  try {
    const late = await clock();
    assert.is(late?.state, 'lacking');
    assert.match(String(late?.detail), /which is 3(59\d|600) seconds before the newest record of the store/);
  } finally {
    Date.now = now;
  }
});

doctor('says in words what each thing is for, and what to do', async ({ here }) => {
  const { code, stdout } = await here.weir('doctor', { env: { PATH: '/nowhere' } });
  assert.is(code, 0, stdout);
  assert.match(
    stdout,
    /warning +git +there is none on the PATH \(says which commit a tree is\)\n +→ install the package git\n/,
  );
  assert.match(stdout, /\nWeir can run here, with \d+ warnings?\.\n$/);
});

doctor('looks whether the mail server of a tree can be reached', async ({ here }) => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const tree = (to: number) =>
    here.write(
      'config/weir.yaml',
      `apiVersion: weir/v1\nkind: Platform\nmetadata: {name: platform}\nspec:\n  email: {smtp: {host: 127.0.0.1, port: ${to}}}\n`,
    );
  const mail = async () => (await told(here, 'config')).checks.find(({ name }) => name === 'mail')?.state;
  tree(port);
  assert.is(await mail(), 'fine');
  await new Promise((resolve) => server.close(resolve));
  assert.is(await mail(), 'lacking');
});

doctor('exits 1 where there can be no store, or the isolation that a tree asks for cannot be had', async ({ here }) => {
  here.write('file', '');
  const there = await told(here, '--store file/store');
  assert.is(there.code, 1);
  assert.is(there.checks.find(({ name }) => name === 'store')?.state, 'missing');
  here.write(
    'config/weir.yaml',
    'apiVersion: weir/v1\nkind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {isolation: user}\n',
  );
  // Whose folders are closed to other users cannot have users of their own for instances.
  chmodSync(here.path, 0o711);
  const { code, checks } = await told(here, 'config');
  const state = checks.find(({ name }) => name === 'isolation')?.state;
  assert.equal([code, state], process.getuid?.() === 0 ? [0, 'fine'] : [1, 'missing']);
  assert.is((await here.weir('doctor nowhere')).code, 5);
});

doctor.run();
