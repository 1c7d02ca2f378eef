// timeout: 400
// Real connections: clients that send slowly or nothing, and what becomes of requests and connections when the server ends.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemView } from '../../src/http/views/finding.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { weir } from '../support/weir.ts';
import { type Served, serveIn } from './served.ts';
import { type ServerWorld, startWorld } from './world.ts';

/** A connection that is written to by hand. */
interface Line {
  readonly socket: Socket;
  /** What has been said to it until now. */
  said(): string;
  /** Resolves when the other side has hung up, with what it said. */
  readonly ended: Promise<string>;
}

async function open(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  // A connection that is cut off says so by an error, and then by its end.
  socket.on('error', () => {}).on('close', () => resolve(text));
  await new Promise((connected) => socket.once('connect', connected));
  return { socket, said: () => text, ended };
}

const slow = suite<{ world: ServerWorld; url: string }>('clients that send slowly');

slow.before.each(async (context) => {
  context.world = await startWorld();
  const { server } = context.world.app;
  // What a server waits for is minutes: the same, in a time that a test has.
  Object.assign(server, { headersTimeout: 1500, requestTimeout: 3000, connectionsCheckingInterval: 50 });
  context.url = await context.world.app.listen({ host: '127.0.0.1', port: 0 });
});
slow.after.each((context) => context.world.close());

/** Sends bytes one by one until the other side has hung up. */
async function drip({ socket, ended }: Line, bytes: string): Promise<void> {
  let open = true;
  void ended.then(() => {
    open = false;
  });
  while (open) {
    socket.write(bytes);
    await sleep(20);
  }
}

slow('are hung up on, with a problem, while others are answered', async ({ world, url }) => {
  const before = world.logged.length;
  const lines = await Promise.all(Array.from({ length: 40 }, () => open(url)));
  const begin = performance.now();
  for (const { socket } of lines) socket.write('GET /api/v1/user HTTP/1.1\r\nHost: x\r\n');
  const dripping = lines.map((line) => drip(line, 'X: y\r\n'));
  assert.is((await fetch(`${url}/healthz`)).status, 200, 'others are answered');
  const said = await Promise.all(lines.map(({ ended }) => ended));
  await Promise.all(dripping);
  assert.ok(performance.now() - begin < 45_000);
  // Who sends at the very moment is reset by the system, which throws away what was not read yet (RFC 9112, 9.6).
  const heard = said.filter(Boolean);
  assert.ok(heard.length > 0);
  for (const text of heard) {
    assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    // Node itself may be first, and says no more than that.
    if (text.includes('{')) assert.is(problemView.parse(JSON.parse(text.slice(text.indexOf('{')))).status, 408);
  }
  assert.equal(world.logged.slice(before), []);
});

slow('of a body are hung up on too, also when they may send one', async ({ world, url }) => {
  const before = world.logged.length;
  const line = await open(url);
  const head = `Authorization: Bearer ${world.tokens.admin}\r\nContent-Type: application/json\r\nContent-Length: 100000`;
  line.socket.write(`POST /api/v1/stacks HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n{`);
  await drip(line, ' ');
  assert.match(await line.ended, /^(HTTP\/1\.1 408 |$)/);
  assert.equal(world.logged.slice(before), []);
});

slow('or of nothing at all hold no connection', async ({ url }) => {
  const line = await open(url);
  assert.match(await line.ended, /^HTTP\/1\.1 408 /);
});

slow('are given no more than a minute for a request', async () => {
  const world = await startWorld();
  const { requestTimeout, headersTimeout, timeout, keepAliveTimeout } = world.app.server;
  for (const given of [requestTimeout, headersTimeout]) assert.ok(given > 0 && given <= 60_000, String(given));
  assert.ok(headersTimeout <= 30_000, 'a head is short');
  assert.ok(timeout > requestTimeout && timeout <= 300_000, 'who sends nothing, and who reads nothing');
  // Longer than the minute that load balancers keep a connection, so that they do not send into one that is closing.
  assert.ok(keepAliveTimeout > 60_000 && keepAliveTimeout <= 120_000);
  await world.close();
});

slow.run();

const ending = suite<{ folder: ReturnType<typeof temporaryFolder>; server: Served; token: string }>(
  'a server that ends',
);

ending.before.each(async (context) => {
  context.folder = temporaryFolder();
  await writeFiles(context.folder.path, {
    'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {api: {rateLimit: {signInPerMinute: 0}}}\n',
  });
  context.token = JSON.parse((await weir(context.folder.path, ['bootstrap'])).stdout).token;
  context.server = await serveIn(context.folder.path);
});
ending.after.each(async ({ server, folder }) => {
  server.child.kill('SIGKILL');
  await server.ended;
  await folder.remove();
});

const refused = (url: string) =>
  fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  );

ending('answers what is under way, keeps it, hangs up, and exits 0', async ({ server, token, folder }) => {
  const body = JSON.stringify({ name: 'late', spec: { runtime: '1' } });
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const [half, used, fresh] = [await open(server.url), await open(server.url), await open(server.url)];
  half.socket.write(`POST /api/v1/stacks HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 10)}`);
  used.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('it is answered', () => used.said().includes('"'));
  server.child.kill('SIGTERM');
  // Connections on which nothing is asked are closed at once, and no more are taken.
  await Promise.all([used.ended, fresh.ended]);
  await until('no more are taken', () => refused(server.url));
  half.socket.write(body.slice(10));
  const answer = await half.ended;
  assert.match(answer, /^HTTP\/1\.1 201 Created\r\n/);
  assert.match(answer, /"name":"late"/);
  const { code, stderr } = await server.ended;
  assert.is(code, 0, stderr);
  assert.not.match(stderr, /cut off/);
  assert.match((await weir(folder.path, ['export', 'Stack/late'])).stdout, /name: late/);
});

ending(
  'answers each of many that compare passwords, and takes no new request on their connections',
  async ({ server }) => {
    const ask = (password: string) => {
      const body = JSON.stringify({ username: 'admin', password });
      return `POST /account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const lines = await Promise.all(Array.from({ length: 12 }, () => open(server.url)));
    for (const { socket } of lines) socket.write(ask('wrong'));
    await until('one is answered', () => lines.some(({ said }) => said().includes('\r\n\r\n')));
    server.child.kill('SIGTERM');
    const answers = await Promise.all(lines.map(({ ended }) => ended));
    for (const text of answers) assert.match(text, /^HTTP\/1\.1 401 /, 'each is answered');
    const { code, stderr } = await server.ended;
    assert.is(code, 0, stderr);
    assert.not.match(stderr, /cut off/);
  },
);

ending('is not held up by who never ends a request, or never reads an answer', async ({ server, token }) => {
  const [never, deaf] = [await open(server.url), await open(server.url)];
  never.socket.write(
    `POST /api/v1/stacks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  deaf.socket.pause();
  // More than the buffers of both sides hold.
  deaf.socket.write(`GET /api/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`.repeat(60));
  await sleep(500);
  const begin = performance.now();
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  assert.is(code, 0, stderr);
  assert.ok(performance.now() - begin < 45_000);
  never.socket.destroy();
  deaf.socket.destroy();
});

/** The files of the store in a folder, as texts. */
const storedIn = (folder: string) =>
  readdirSync(join(folder, '.weir'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));

const login = 'POST /account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n';
const unasked: Readonly<Record<string, string>> = {
  'half of a request line': 'GET /heal',
  'half of a head': 'GET /healthz HTTP/1.1\r\nHost: x\r\n',
  'a line alone': '\r\n',
  'a request, and half of the next': 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\n',
  'a body of a stranger that does not come': login,
  'half of a body of a stranger': `${login}{"username":`,
  'half of a body with a token that is none': login.replace('\r\n\r\n', '\r\nAuthorization: Bearer nobody\r\n\r\n{'),
};

for (const [what, text] of Object.entries(unasked))
  ending(`waits for nobody who sent ${what}`, async ({ server }) => {
    const line = await open(server.url);
    line.socket.write(text);
    // What was sent before this was asked has been taken up.
    assert.is((await fetch(`${server.url}/healthz`)).status, 200);
    server.child.kill('SIGTERM');
    const { code, stderr } = await server.ended;
    assert.is(code, 0, stderr);
    assert.not.match(stderr, /cut off/);
    await line.ended;
  });

ending('keeps the last use of credentials, whoever never ends a request', async ({ server, token, folder }) => {
  const used = () => storedIn(folder.path).some((text) => /"kind":"Token".*"lastUsedAt":"2/.test(text));
  assert.not.ok(used());
  const authorization = `Bearer ${token}`;
  assert.is((await fetch(`${server.url}/api/v1/user`, { headers: { authorization } })).status, 200);
  const never = await open(server.url);
  never.socket.write(
    `POST /api/v1/stacks HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  assert.is((await fetch(`${server.url}/healthz`)).status, 200);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  assert.is(code, 0, stderr);
  assert.match(stderr, /cut off/, 'it never ended');
  assert.ok(used(), 'the last use is on the disk');
  never.socket.destroy();
});

ending.run();
