// timeout: 1200
// weir serve as a process: how it starts, what it says, how it stops; and the commands that ask it.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sealKeyOf } from '../../src/store/seal.ts';
import { freePort } from '../support/free-port.ts';
import { type Serving, serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { stack, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
}

const starting = suite<Context>('weir serve');

starting.before.each(async (context) => {
  context.here = await workspace();
});
starting.after.each(({ here }) => here.remove());

starting('makes the first admin, says so once, serves, and exits 0 on SIGTERM', async ({ here }) => {
  const first = await serve(here);
  assert.is((await fetch(`${first.url}/healthz`)).status, 200);
  assert.is((await fetch(`${first.url}/readyz`)).status, 200);
  first.child.kill('SIGTERM');
  const ended = await first.ended;
  assert.is(ended.code, 0, ended.stderr);
  assert.is(ended.stdout, `Weir serves config on ${first.url}\n`);
  assert.match(
    ended.stderr,
    /there is now an admin: username admin, with the password \S+ \(it is shown this once\)\n/,
  );
  const second = await serve(here);
  second.child.kill('SIGINT');
  const again = await second.ended;
  assert.is(again.code, 0);
  assert.not.match(again.stderr, 'password');
  assert.is((await here.weir('plan --detailed-exitcode')).code, 0, 'it applied the tree');
});

starting('takes the password of the first admin from WEIR_ADMIN_PASSWORD, and does not print it', async ({ here }) => {
  const server = await serve(here, [], { WEIR_ADMIN_PASSWORD: 'correct horse battery' });
  server.child.kill('SIGTERM');
  const { stderr } = await server.ended;
  assert.match(stderr, /username admin, with the password in WEIR_ADMIN_PASSWORD\n/);
  assert.not.match(stderr, 'correct horse');
  const weak = await here.spawn('serve --port 0 --store other', { env: { WEIR_ADMIN_PASSWORD: 'short' } });
  assert.is(weak.code, 64);
  assert.match(
    weak.stderr,
    /the password in WEIR_ADMIN_PASSWORD cannot be used, because it has fewer than 8 characters/,
  );
});

starting('does not start on a bad tree without a good state behind it: 1', async ({ here }) => {
  here.write('config/stacks.yaml', 'kind: Stack\n');
  const { code, stdout, stderr } = await here.spawn('serve --port 0');
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.match(stderr, /error\[schema\]/);
  assert.match(stderr, /weir: the tree cannot be applied: not starting, because there is no earlier state to serve\n$/);
});

starting('does not start without a tree: 5', async ({ here }) => {
  const { code, stderr } = await here.spawn('serve nowhere --port 0');
  assert.is(code, 5);
  assert.match(stderr, /nowhere is not a tree, or not mounted/);
});

starting(
  'serves the last good state past a bad tree, recovers by itself, and with --strict-start exits 1',
  async ({ here }) => {
    await here.weir('apply');
    const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
    here.write('config/stacks.yaml', stack.replace('runtime', 'runtme'));
    const strict = await here.spawn('serve --port 0 --strict-start');
    assert.is(strict.code, 1);
    assert.match(strict.stderr, /not starting, because --strict-start asks for a good tree\n$/);
    const server = await serve(here);
    assert.match(server.output().stderr, /error\[schema\] Stack\/nr-4: .*\n --> stacks\.yaml:5:3\n/);
    assert.is((await fetch(`${server.url}/readyz`)).status, 200);
    here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Mended'));
    const headers = { authorization: `Bearer ${token}` };
    await until(
      async () => {
        const answer = await fetch(`${server.url}/api/v1/stacks/nr-4`, { headers });
        return (await answer.text()).includes('Mended') ? true : undefined;
      },
      { program: server },
    );
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
  },
);

if (process.platform !== 'win32')
  starting('answers on though a pipe stands where a document should, and recovers without it', async ({ here }) => {
    here.write('config/weir.yaml', 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {pollSeconds: 1}}\n');
    const server = await serve(here);
    const pipe = join(here.path, 'config/pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    await until(() => /it is not a regular file.*\n *--> pipe\.yaml/.exec(server.output().stderr)?.[0], {
      program: server,
    });
    assert.is((await fetch(`${server.url}/healthz`)).status, 200);
    rmSync(pipe);
    await until(() => /nothing changes/.exec(server.output().stderr)?.[0], { program: server });
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
  });

starting('tells of the key that it makes, once: where it is, which it is, and to keep a copy', async ({ here }) => {
  const told = async () => {
    const server = await serve(here);
    server.child.kill('SIGTERM');
    await server.ended;
    return server
      .output()
      .stderr.split('\n')
      .filter((line) => /\bkey\b/.test(line));
  };
  const file = join(here.path, '.weir/secret.key');
  const lines = await told();
  const { id } = sealKeyOf(Buffer.from(readFileSync(file, 'utf8'), 'base64'));
  assert.equal(lines, [
    `${file}: the key ${id} of the store was made: keep a copy of it apart from backups, which do not hold it unless asked (weir backup --with-key)`,
  ]);
  assert.equal(await told(), [], 'and no second time');
});

starting('says that a port is taken: 5', async ({ here }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const { code, stdout, stderr } = await here.spawn(`serve --port ${port}`);
  other.close();
  assert.is(code, 5);
  assert.is(stdout, '');
  const [key, ...others] = stderr.split('\n');
  assert.match(key ?? '', /secret\.key: the key [0-9a-f]{8} of the store was made/);
  assert.equal(others, [
    `weir: port ${port} on 127.0.0.1 is taken by another process: stop that one, or name another port with --port`,
    '',
  ]);
});

starting('stops though somebody holds a connection, and takes Ctrl-C through npm as one wish', async ({ here }) => {
  const server = await serve(here);
  const { hostname, port } = new URL(server.url);
  const { connect } = await import('node:net');
  const idle = connect(Number(port), hostname);
  idle.on('error', () => {});
  await once(idle, 'connect');
  idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  server.child.kill('SIGINT');
  server.child.kill('SIGINT');
  const { code, stderr } = await server.ended;
  idle.destroy();
  assert.is(code, 0, stderr);
  assert.is((await here.weir('status')).code, 0);
});

starting(
  'stops, and answers who waits, while a reconcile waits for the tree, a body never ends and the mail server never answers',
  async ({ here }) => {
    let asked = 0;
    const mute = createServer(() => {
      asked += 1;
    }).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = mute.address();
    const mail = `{host: 127.0.0.1, port: ${typeof address === 'object' && address ? address.port : 0}}`;
    here.write(
      'config/weir.yaml',
      `kind: Platform\nmetadata: {name: platform}\nspec:\n  email: {from: weir@example.net, smtp: ${mail}}\n  reconcile: {settleMs: 60000}\n---\nkind: AdminSettings\nmetadata: {name: default}\nspec: {registration: true}\n`,
    );
    const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
    const server = await serve(here);
    const post = (path: string, headers: Readonly<Record<string, string>>, body: object) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const bob = { username: 'bob', email: 'bob@example.net', password: 'seven grey herons' };
    assert.is((await post('/account/register', {}, bob)).status, 201);
    here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Node-RED'));
    const reconciled = post('/api/v1/admin/config/reconcile', { authorization: `Bearer ${token}` }, {});
    const { connect } = await import('node:net');
    const half = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
    await once(half, 'connect');
    half.write(
      `POST /account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    await until('the mail server is asked', () => asked > 0);
    // What was sent before this was asked has been taken up.
    assert.is((await fetch(`${server.url}/healthz`)).status, 200);
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.ended;
    half.destroy();
    mute.close();
    assert.is(code, 0, stderr);
    assert.is((await reconciled).status, 503);
    assert.not.match(stderr, /is cut off/);
    assert.is((await here.weir('status')).code, 0);
  },
);

starting('ends with the code that it decided on, though it is asked again at the very end', async ({ here }) => {
  const lingering =
    "process.once('exit', () => { console.error('the end'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500); });";
  here.write('lingering.mjs', lingering);
  const server = await serve(here, [], { NODE_OPTIONS: `--import=${pathToFileURL(join(here.path, 'lingering.mjs'))}` });
  server.child.kill('SIGTERM');
  await until('the process exits', () => server.output().stderr.includes('the end'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) server.child.kill(signal);
  const { code, signal } = await server.ended;
  assert.is(`${code} ${signal}`, '0 null');
});

starting.run();

const asking = suite<Context & { server: Serving; flags: string }>('the commands that ask a server');

asking.before(async (context) => {
  context.here = await workspace();
  const { token } = JSON.parse((await context.here.weir('bootstrap')).stdout);
  writeFileSync(join(context.here.path, 'token'), `${token}\n`);
  writeFileSync(join(context.here.path, 'wrong'), `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}\n`);
  context.server = await serve(context.here);
  context.flags = `--server ${context.server.url} --token-file token`;
});
asking.after(async ({ here, server }) => {
  server.child.kill('SIGTERM');
  await server.ended;
  await here.remove();
});

asking('status: as the server gives it', async ({ here, flags }) => {
  const { code, stdout, stderr } = await here.weir(`status ${flags} --output json`);
  assert.is(code, 0, stderr);
  assert.is(JSON.parse(stdout).inventory.count, 3);
  assert.match((await here.weir(`status ${flags}`)).stdout, /^Ready +True/m);
});

asking('plan: of this tree against the live state, with this tree’s lines', async ({ here, flags }) => {
  here.write('elsewhere.yaml', '');
  assert.is((await here.weir(`plan ${flags} --detailed-exitcode`)).code, 0);
  await here.weir('init branch');
  const { code, stdout } = await here.weir(`plan branch ${flags} --detailed-exitcode --out plan.json`);
  assert.is(code, 2);
  assert.match(stdout, /\n {2}\+ create Stack\/nr-5-0 +stacks\/nr-5-0\.yaml:4\n/);
  assert.match(stdout, /\n {2}- delete Stack\/nr-4 {3}was stacks\.yaml:1 \(2 fields\)\n/);
  assert.is(JSON.parse(here.read('plan.json')).summary.create, 4);
});

asking('plan: an invalid tree is 1, with its lines, and is not sent', async ({ here, flags }) => {
  await here.weir('init broken');
  here.write('broken/stacks/nr-5-0.yaml', 'kind: Stack\n');
  const { code, stdout } = await here.weir(`plan broken ${flags}`);
  assert.is(code, 1);
  assert.match(stdout, /--> stacks\/nr-5-0\.yaml:1:1\n/);
});

asking('apply: has the server apply its own tree', async ({ here, flags }) => {
  const same = await here.weir(`apply ${flags}`);
  assert.is(same.code, 0, same.stderr);
  assert.match(same.stdout, /^No changes\./);
  here.write('config/more.yaml', 'kind: Stack\n');
  const invalid = await here.weir(`apply ${flags} --output json`);
  assert.is(invalid.code, 1, invalid.stderr);
  assert.is(JSON.parse(invalid.stdout).valid, false);
  here.write('config/more.yaml', 'kind: Template\nmetadata: {name: t}\n');
  assert.is((await here.weir(`apply ${flags} --allow-deletes 3`)).code, 3);
  assert.is((await here.weir(`apply ${flags}`)).code, 0);
});

asking('a refused token, a server that is none, and one that is away: 5', async ({ here, server }) => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  for (const line of ['status', 'plan', 'apply']) {
    const refused = await here.weir(`${line} --server ${server.url} --token-file wrong --output json`);
    assert.is(refused.code, 5, line);
    assert.is(JSON.parse(refused.stdout).error.code, 'token_refused');
    const away = await here.weir(`${line} --server ${nowhere} --token-file token`);
    assert.is(away.code, 5);
    assert.is(away.stderr, `weir: the server ${nowhere} cannot be reached, because nothing listens there\n`);
  }
  const none = await here.weir(`status --server ${server.url} --token-file nowhere`);
  assert.is(none.code, 5);
  assert.match(none.stderr, /the token file .*nowhere cannot be read, because there is no such file or folder/);
  here.write('config/broken.yaml', 'kind: Stack\n');
  assert.is(
    (await here.weir(`plan --server ${nowhere} --token-file token`)).code,
    5,
    'before what is wrong with the tree',
  );
});

asking.run();
