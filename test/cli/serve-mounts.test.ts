// timeout: 400
// weir serve on trees that others swap under it: volumes of Kubernetes, checkouts of git-sync, and what may turn up in a folder.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfigStatus, HistoryEntry } from '../../src/control/config-status.ts';
import { listener, secret } from '../notify/listener.ts';
import { gitSync } from '../support/git-sync.ts';
import { mountVolume } from '../support/kubelet.ts';
import { type Serving, serve } from '../support/serving.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { weir } from '../support/weir.ts';

/** Hints alone must do: nobody waits for a poll of ten minutes. */
const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 600}}\n';
const stack = (label: string, name = 'nr-4') =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {label: ${label}, runtime: "4.1"}\n`;

interface Pod {
  readonly server: Serving;
  /** Waits until the stacks are these: names with labels. */
  becomes(stacks: string): Promise<void>;
  stacks(): Promise<string>;
  status(): Promise<ConfigStatus>;
  /** All attempts, newest first. */
  history(): Promise<readonly HistoryEntry[]>;
  reconcile(): Promise<number>;
  stop(): Promise<void>;
}

interface Context {
  folder: TemporaryFolder;
}

/** Starts a server on a tree, with the store in the folder. */
async function start({ path }: TemporaryFolder, tree: string, flags: readonly string[] = []): Promise<Pod> {
  const made = existsSync(join(path, '.weir')) ? undefined : JSON.parse((await weir(path, ['bootstrap'])).stdout);
  if (made) writeFileSync(join(path, 'token'), made.token);
  const server = await serve({ path }, [tree, ...flags]);
  const token = execFileSync('cat', [join(path, 'token')], { encoding: 'utf8' });
  const ask = async (url: string, init: RequestInit = {}) =>
    fetch(`${server.url}${url}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const body = async (url: string) => JSON.parse(await (await ask(url)).text());
  const stacks = async () => {
    const found: readonly { readonly name: string; readonly spec: { readonly label: string } }[] = (
      await body('/api/v1/stacks')
    ).stacks;
    return found
      .map(({ name, spec }) => `${name}=${spec.label}`)
      .sort()
      .join(' ');
  };
  return {
    server,
    stacks,
    becomes: async (wanted) => {
      await until(async () => ((await stacks()) === wanted ? true : undefined), { program: server });
    },
    status: () => body('/api/v1/admin/config'),
    history: async () => (await body('/api/v1/admin/config/history')).history,
    reconcile: async () => {
      const headers = { 'content-type': 'application/json' };
      return (await ask('/api/v1/admin/config/reconcile', { method: 'POST', body: '{}', headers })).status;
    },
    stop: async () => {
      server.child.kill('SIGTERM');
      assert.is((await server.ended).code, 0);
    },
  };
}

function mounts(about: string) {
  const test = suite<Context>(about);
  test.before.each((context) => {
    context.folder = temporaryFolder();
  });
  test.after.each(({ folder }) => folder.remove());
  return test;
}

const results = (history: readonly HistoryEntry[]) => history.map(({ result }) => result);

const configMap = mounts('weir serve on a ConfigMap');

configMap('takes every swap up, at once and whole: changed keys, new keys, keys that are gone', async ({ folder }) => {
  const volume = mountVolume(join(folder.path, 'tree'), { 'weir.yaml': platform, 'a.yaml': stack('One') });
  const pod = await start(folder, volume.path);
  assert.is(await pod.stacks(), 'nr-4=One');
  volume.write({ 'weir.yaml': platform, 'a.yaml': stack('Two') });
  await pod.becomes('nr-4=Two');
  volume.write({ 'weir.yaml': platform, 'a.yaml': stack('Two'), 'b.yaml': stack('Five', 'nr-5') });
  await pod.becomes('nr-4=Two nr-5=Five');
  volume.write({ 'weir.yaml': platform, 'b.yaml': stack('Five', 'nr-5') });
  await pod.becomes('nr-5=Five');
  assert.equal(
    (await pod.history()).map(({ trigger, result }) => `${trigger} ${result}`),
    ['watch applied', 'watch applied', 'watch applied', 'start applied'],
  );
  await pod.stop();
});

configMap('ends at the last of many swaps, and refuses nothing on the way', async ({ folder }) => {
  const keys = (label: string) => ({ 'weir.yaml': platform, 'a.yaml': stack(label), 'b.yaml': stack(label, 'nr-5') });
  const volume = mountVolume(join(folder.path, 'tree'), keys('Zero'));
  const pod = await start(folder, volume.path);
  for (let nth = 1; nth <= 20; nth++) {
    volume.write(keys(`N${nth}`));
    await sleep(nth % 4 === 0 ? 70 : 5);
  }
  await pod.becomes('nr-4=N20 nr-5=N20');
  assert.equal([...new Set(results(await pod.history()))], ['applied']);
  await pod.stop();
});

configMap('keeps the last good state past a bad swap, and goes on at the next', async ({ folder }) => {
  const volume = mountVolume(join(folder.path, 'tree'), { 'weir.yaml': platform, 'a.yaml': stack('One') });
  const pod = await start(folder, volume.path);
  volume.write({ 'weir.yaml': platform, 'a.yaml': stack('Two').replace('runtime', 'runtme') });
  await until(async () => results(await pod.history())[0] === 'refused', { program: pod.server });
  assert.is(await pod.stacks(), 'nr-4=One');
  volume.write({ 'weir.yaml': platform, 'a.yaml': stack('Two') });
  await pod.becomes('nr-4=Two');
  // No weir.yaml among the keys: not a tree, and nothing is deleted.
  volume.write({ 'a.yaml': stack('Two') });
  await until(async () => (await pod.history())[0]?.missing, { program: pod.server });
  assert.is(await pod.stacks(), 'nr-4=Two');
  await pod.stop();
});

configMap('deletes nothing when the volume vanishes, and goes on when it is mounted again', async ({ folder }) => {
  const [path, keys] = [join(folder.path, 'tree'), { 'weir.yaml': platform, 'a.yaml': stack('One') }];
  mountVolume(path, keys);
  const pod = await start(folder, path);
  for (const label of ['Two', 'Three']) {
    renameSync(path, `${path}-${label}`);
    await until(async () => (await pod.history())[0]?.missing, { program: pod.server });
    assert.is((await pod.stacks()).startsWith('nr-4='), true);
    const again = mountVolume(path, { ...keys, 'a.yaml': stack(label) });
    await pod.becomes(`nr-4=${label}`);
    again.write({ ...keys, 'a.yaml': stack(`${label}2`) });
    await pod.becomes(`nr-4=${label}2`);
  }
  await pod.stop();
});

configMap(
  'never hears of a key that is mounted by subPath, and reads it anew with the next pod',
  async ({ folder }) => {
    const volume = mountVolume(join(folder.path, 'volume'), { 'weir.yaml': platform, 'a.yaml': stack('One') });
    const tree = join(folder.path, 'tree');
    const mountKeys = () => {
      rmSync(tree, { recursive: true, force: true });
      mkdirSync(tree);
      for (const key of ['weir.yaml', 'a.yaml']) volume.mountKey(key, join(tree, key));
    };
    mountKeys();
    const pod = await start(folder, tree);
    volume.write({ 'weir.yaml': platform, 'a.yaml': stack('Two') });
    assert.is(await pod.reconcile(), 200);
    assert.is(await pod.stacks(), 'nr-4=One');
    assert.equal(results(await pod.history()), ['unchanged', 'applied']);
    await pod.stop();
    mountKeys();
    const next = await start(folder, tree);
    assert.is(await next.stacks(), 'nr-4=Two');
    await next.stop();
  },
);

configMap('takes a Secret that was swapped for the next thing that needs it', async ({ folder }) => {
  const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const hook = await listener(0, { first: secret, next });
  const receiver = `notifications: [{name: ci, url: "${hook.url}", secret: {fromFile: hook}}]`;
  const told = platform.replace('}}\n', `}, ${receiver}}\n`);
  const secrets = mountVolume(join(folder.path, 'secrets'), { hook: secret });
  const volume = mountVolume(join(folder.path, 'tree'), { 'weir.yaml': told, 'a.yaml': stack('One') });
  const pod = await start(folder, volume.path, ['--secret-dir', secrets.path]);
  await until(() => hook.received.length === 1, { program: pod.server });
  secrets.write({ hook: next });
  volume.write({ 'weir.yaml': told, 'a.yaml': stack('Two') });
  await until(() => hook.received.length === 2, { program: pod.server });
  assert.equal(
    hook.received.map(({ signedBy }) => signedBy.join()),
    ['first', 'next'],
  );
  await pod.stop();
  await hook.close();
});

configMap.run();

const checkout = mounts('weir serve on a checkout of git-sync');

const tree = (label: string) => ({ 'config/weir.yaml': platform, 'config/a.yaml': stack(label) });

checkout(
  'takes each commit up as one reconcile that names it, though the old work tree is gone at once',
  async ({ folder }) => {
    const git = await gitSync(folder.path, tree('One'));
    const pod = await start(folder, join(git.link, 'config'));
    for (const label of ['Two', 'Three']) {
      const before = realpathSync(git.link);
      const commit = await git.commit({ ...tree(label), 'README.md': label });
      git.sync();
      assert.not.ok(existsSync(before));
      await pod.becomes(`nr-4=${label}`);
      assert.is((await pod.status()).commit, commit);
    }
    await git.commit({ 'config/a.yaml': undefined, 'config/b.yaml': stack('Five', 'nr-5') });
    git.sync();
    await pod.becomes('nr-5=Five');
    assert.equal(results(await pod.history()), ['applied', 'applied', 'applied', 'applied']);
    assert.is(
      (await pod.history()).every(({ dirty }) => dirty === false),
      true,
    );
    await pod.stop();
  },
);

checkout(
  'ends at the last of many commits: a work tree that goes while it is read is no broken tree',
  async ({ folder }) => {
    const many = (label: string) => ({
      'config/weir.yaml': platform,
      ...Object.fromEntries(Array.from({ length: 40 }, (_, nth) => [`config/${nth}.yaml`, stack(label, `nr-${nth}`)])),
    });
    const git = await gitSync(folder.path, many('Zero'));
    const pod = await start(folder, join(git.link, 'config'));
    for (let nth = 1; nth <= 8; nth++) {
      await git.commit(many(`N${nth}`));
      git.sync();
      await sleep(nth % 3 === 0 ? 90 : 0);
    }
    await until(async () => /^nr-0=N8( nr-\d+=N8){39}$/.test(await pod.stacks()), { program: pod.server });
    assert.equal([...new Set(results(await pod.history()))], ['applied']);
    await pod.stop();
  },
);

checkout('does nothing for a commit beside the tree', async ({ folder }) => {
  const git = await gitSync(folder.path, tree('One'));
  const pod = await start(folder, join(git.link, 'config'));
  const { revision } = await pod.status();
  await git.commit({ 'README.md': 'Other words' });
  git.sync();
  await git.commit(tree('Two'));
  await sleep(400);
  assert.equal((await pod.status()).revision, revision);
  git.sync();
  await pod.becomes('nr-4=Two');
  assert.equal(results(await pod.history()), ['applied', 'applied']);
  await pod.stop();
});

checkout.run();

const folders = mounts('weir serve on a folder');

if (process.platform !== 'win32')
  folders('keeps the last good state while something odd lies in it, and goes on without it', async ({ folder }) => {
    const root = join(folder.path, 'tree');
    mkdirSync(root);
    writeFileSync(join(root, 'weir.yaml'), platform);
    writeFileSync(join(root, 'a.yaml'), stack('One'));
    writeFileSync(join(folder.path, 'outside.yaml'), stack('Out', 'outside'));
    const pod = await start(folder, root);
    const socket = createServer();
    const odd: Readonly<Record<string, (path: string) => unknown>> = {
      'a link that leads nowhere': (path) => symlinkSync('nothing.yaml', path),
      'a link in a circle': (path) => symlinkSync('odd.yaml', path),
      'a link that leads out': (path) => symlinkSync('../outside.yaml', path),
      'a pipe': (path) => execFileSync('mkfifo', [path]),
      'a socket': async (path) => once(socket.listen(path), 'listening'),
      'bytes that are no text': (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00])),
    };
    for (const [what, make] of Object.entries(odd)) {
      const before = (await pod.history()).length;
      await make(join(root, 'odd.yaml'));
      await until(async () => (await pod.history()).length > before, { program: pod.server });
      assert.is((await pod.history())[0]?.result, 'refused', what);
      assert.is((await pod.status()).findings[0]?.source?.file, 'odd.yaml', what);
      assert.is(await pod.stacks(), 'nr-4=One', what);
      if (what === 'a socket') socket.close();
      rmSync(join(root, 'odd.yaml'), { force: true });
      await until(async () => (await pod.history())[0]?.result === 'unchanged', { program: pod.server });
    }
    await pod.stop();
  });

folders(
  'reads line ends of Windows and a byte order mark as what they are, and lets no file name write its log',
  async ({ folder }) => {
    const root = join(folder.path, 'tree');
    mkdirSync(root);
    writeFileSync(join(root, 'weir.yaml'), platform);
    writeFileSync(join(root, 'a.yaml'), stack('One'));
    const pod = await start(folder, root);
    writeFileSync(join(root, 'a.yaml'), `\uFEFF${stack('Two').replaceAll('\n', '\r\n')}`);
    await pod.becomes('nr-4=Two');
    writeFileSync(join(root, 'b\n::error::forged.yaml'), 'kind: Stack\n');
    await until(async () => results(await pod.history())[0] === 'refused', { program: pod.server });
    await until(() => /error\[schema\]/.exec(pod.server.output().stderr)?.[0], { program: pod.server });
    assert.not.match(pod.server.output().stderr, /^::error/m);
    await pod.stop();
  },
);

folders.run();
