// timeout: 600
// Descriptors of the server while clients never end their side: whatever it answered them, it lets go of them.
import { readdirSync, readFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCommand } from '../support/run-command.ts';
import { until } from '../support/until.ts';

interface Server {
  readonly port: number;
  readonly tokens: Readonly<Record<string, string>>;
  readonly cookie: string;
  /** How many files and sockets its process has open. */
  descriptors(): number;
  stop(): Promise<void>;
}

const program = join(import.meta.dirname, 'proxy/served-stand-in.ts');

async function start(limits: object): Promise<Server> {
  const server = startCommand(process.execPath, [program, JSON.stringify(limits)], { env: process.env });
  const said = await until('it serves', () => /^\{.*\}$/m.exec(server.output().stdout)?.[0], { program: server });
  return {
    ...JSON.parse(said),
    descriptors: () => readdirSync(`/proc/${server.child.pid}/fd`).length,
    stop: async () => {
      server.child.kill('SIGKILL');
      await server.ended;
    },
  };
}

interface Client {
  readonly socket: Socket;
  said(): string;
  isCut(): boolean;
}

/** A client that never ends its side of a connection. */
function hold(port: number, text: string): Client {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [said, cut] = [[] as string[], { is: false }];
  socket.setEncoding('latin1').on('data', (part: string) => said.push(part));
  socket
    .on('error', () => {})
    .on('close', () => {
      cut.is = true;
    });
  socket.on('end', () => {
    cut.is = true;
  });
  socket.write(text, 'latin1');
  return { socket, said: () => said.join(''), isCut: () => cut.is };
}

const upgrade = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  `GET ${path} HTTP/1.1\r\n${Object.entries({
    host: 'weir.example',
    connection: 'Upgrade',
    upgrade: 'websocket',
    ...headers,
  })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** Every way in which an upgrade, or what is no HTTP, is refused: what is sent, and the status that comes back. */
const refusals: Readonly<Record<string, (server: Server) => readonly [text: string, status: number]>> = {
  'nobody there, anonymous': () => [upgrade('/i/None/x'), 401],
  'not signed in': () => [upgrade('/i/A/x'), 401],
  'not for this user': ({ tokens }) => [upgrade('/i/A/x', { authorization: `Bearer ${tokens.otherOwner}` }), 404],
  'a page of elsewhere': ({ cookie }) => [upgrade('/i/A/x', { cookie }), 403],
  'a protected editor': ({ tokens }) => [upgrade('/i/Shut/comms', { authorization: `Bearer ${tokens.member}` }), 404],
  'an instance that does not run': ({ tokens }) => [
    upgrade('/i/Stopped/x', { authorization: `Bearer ${tokens.member}` }),
    503,
  ],
  'a path that leads out': () => [upgrade('/i/A/../Open/x'), 400],
  'another address': () => [upgrade('/i/Open'), 404],
  'the runtime says no': () => [upgrade('/i/Open/refused'), 403],
  'the runtime says no, and never ends it': () => [upgrade('/i/Open/drips'), 403],
  'the runtime has nothing there': () => [upgrade('/i/Open/nothing'), 404],
  'the runtime breaks off': () => [upgrade('/i/Open/broken'), 502],
  'the runtime is silent': () => [upgrade('/i/Open/never'), 504],
  'not HTTP at all': () => ['HELO weir.example\r\n\r\n', 400],
  'headers without end': () => [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  'an expectation': () => ['GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: more\r\n\r\n', 417],
  'a tunnel by CONNECT': () => ['CONNECT weir.example:443 HTTP/1.1\r\nHost: weir.example:443\r\n\r\n', 0],
};

const held = suite<{ server: Server }>('a server whose clients never hang up');
held.before(async (context) => {
  context.server = await start({ wayIn: { headMs: 500, tunnelMs: 1500 }, platform: '  gateway: {perClient: 50}\n' });
});
held.after(({ server }) => server.stop());

for (const [name, by] of Object.entries(refusals))
  held(`has no descriptor more for those that it refused: ${name}`, async ({ server }) => {
    const [text, status] = by(server);
    const before = server.descriptors();
    // More than one client may have tunnels: places come back, too.
    const clients = Array.from({ length: 40 }, () => hold(server.port, text));
    await until('each is answered', () => clients.every((client) => client.said() !== '' || client.isCut()));
    for (const { said } of clients) if (status > 0) assert.is(Number(said().slice(9, 12)), status, said());
    await until('they are let go of', () => server.descriptors() <= before + 1);
    for (const { socket } of clients) socket.destroy();
  });

held('takes tunnels of a client of whom many were refused', async ({ server }) => {
  for (let round = 0; round < 3; round++) {
    const refused = Array.from({ length: 40 }, () => hold(server.port, upgrade('/i/Open/refused')));
    await until(() => refused.every(({ isCut }) => isCut()));
    const one = hold(server.port, upgrade('/i/Open/x'));
    await until(() => one.said().includes('\r\n\r\n'));
    assert.match(one.said(), /^HTTP\/1\.1 101 /);
    for (const { socket } of [...refused, one]) socket.destroy();
  }
});

held('ends tunnels that are silent for too long, on both sides', async ({ server }) => {
  const before = server.descriptors();
  const tunnels = Array.from({ length: 20 }, () => hold(server.port, upgrade('/i/Open/x')));
  await until(() => tunnels.every(({ said }) => said().startsWith('HTTP/1.1 101 ')));
  const speaking = tunnels[0];
  const speak = setInterval(() => speaking?.socket.write('x'), 100);
  await until(() => tunnels.slice(1).every(({ isCut }) => isCut()));
  assert.not(speaking?.isCut(), 'who speaks goes on');
  clearInterval(speak);
  await until('all are let go of', () => server.descriptors() <= before + 1);
  for (const { socket } of tunnels) socket.destroy();
});

held.run();

const limited = suite<{ server: Server }>('a server of few sockets');
limited.before.each(async (context) => {
  context.server = await start({
    maxSockets: 64,
    platform: '  gateway: {perClient: 500}\n  api: {trustProxy: true, rateLimit: {signInPerMinute: 0}}\n',
  });
});
limited.after.each(({ server }) => server.stop());

const healthy = async ({ port }: Server) => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
const signingIn = async ({ port }: Server) =>
  (
    await fetch(`http://127.0.0.1:${port}/account/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://weir.example' },
      body: JSON.stringify({ username: 'nobody', password: 'wrong horse' }),
    })
  ).status;

/** A request that is under way for as long as its connection lasts. */
const unfinished =
  'POST /account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{';

/** What a route that needs a token answers to nobody, on a connection of its own. */
const ordinary = async ({ port }: Server) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/user`, { headers: { connection: 'close' } });
  return { status: answer.status, text: await answer.text() };
};

limited('lets go of connections that ask nothing for those that do', async ({ server }) => {
  const before = server.descriptors();
  const silent = Array.from({ length: 300 }, () => hold(server.port, ''));
  const halves = Array.from({ length: 300 }, () => hold(server.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n'));
  for (let round = 0; round < 20; round++) assert.is(await healthy(server), 200);
  assert.is(await signingIn(server), 401);
  assert.ok(server.descriptors() <= before + 66, `${server.descriptors()} of ${before}`);
  assert.ok([...silent, ...halves].filter(({ isCut }) => isCut()).length >= 500);
  for (const { socket } of [...silent, ...halves]) socket.destroy();
});

/** The limit, and what the stand-in of a runtime has open in the same process for its side. */
const most = 64 + 32;

// Who was refused a connection to a runtime keeps one to the server, which asks nothing: it is let go of for others.
for (const [name, text] of [
  ['tunnels', upgrade('/i/Open/x')],
  ['requests that are never answered', 'GET /i/Open/slow HTTP/1.1\r\nHost: weir.example\r\n\r\n'],
  ['answers that nobody reads', 'GET /i/Open/large HTTP/1.1\r\nHost: weir.example\r\n\r\n'],
  ['bodies that never end', unfinished],
] as const)
  limited(`answers probes and who signs in, and nothing else, while all others are ${name}`, async ({ server }) => {
    const before = server.descriptors();
    const busy = Array.from({ length: 200 }, () => hold(server.port, text));
    for (const { socket } of busy) if (name.startsWith('answers')) socket.pause();
    const look = () => server.descriptors() - before;
    await until('no more are taken', () => look() >= 50);
    for (let round = 0; round < 20; round++) {
      assert.is(await healthy(server), 200);
      assert.is(await signingIn(server), 401);
      assert.ok(look() <= most, String(look()));
    }
    // One place may be left, which is too little for a tunnel or a request, and enough for who asks an ordinary route.
    let refusals = 0;
    await until('ordinary routes are refused, time after time', async () => {
      const { status, text } = await ordinary(server);
      if (status !== 503) {
        refusals = 0;
        busy.push(hold(server.port, unfinished));
        return false;
      }
      refusals += 1;
      assert.match(text, /as many connections open as it may/);
      assert.is(await healthy(server), 200);
      assert.is(await signingIn(server), 401);
      return refusals === 5;
    });
    for (const { socket } of busy) socket.destroy();
    await until('others are answered again', async () => (await ordinary(server)).status === 401);
  });

limited.run();

const networks = suite('a network');

networks('has at most half of what there is', async () => {
  const server = await start({ maxSockets: 64 });
  const before = server.descriptors();
  const clients = Array.from({ length: 60 }, () => hold(server.port, upgrade('/i/Open/x')));
  await until('what it may', () => clients.filter(({ said }) => said().startsWith('HTTP/1.1 101 ')).length >= 20);
  assert.is(await healthy(server), 200);
  assert.ok(server.descriptors() - before <= most);
  for (const { socket } of clients) socket.destroy();
  await server.stop();
});

/** The status of an answer to somebody of another address; 0 where the connection is cut. */
function statusFrom(localAddress: string, { port }: Server, path: string, body?: string): Promise<number> {
  const headers = {
    host: 'weir.example',
    ...(body === undefined ? {} : { 'content-type': 'application/json', origin: 'http://weir.example' }),
  };
  return new Promise((resolve) => {
    const method = body === undefined ? 'GET' : 'POST';
    const asked = ask({ host: '127.0.0.1', port, localAddress, path, method, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.once('error', () => resolve(0)).end(body);
  });
}

networks('that holds all it can, and always comes back, leaves others a probe and a sign-in', async () => {
  const server = await start({
    maxSockets: 64,
    platform: '  gateway: {perClient: 500}\n  api: {rateLimit: {signInPerMinute: 0}}\n',
  });
  const before = server.descriptors();
  let [isOver, returns] = [false, 0];
  const all = new Set<Socket>();
  const again = (text: string) => {
    if (isOver) return;
    const { socket } = hold(server.port, text);
    all.add(socket);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      all.delete(socket);
      returns += 1;
      setImmediate(again, text);
    });
  };
  for (let count = 0; count < 60; count++) again(upgrade('/i/Open/x'));
  for (let count = 0; count < 60; count++) again('');
  await until('it comes back', () => returns > 200);
  const body = JSON.stringify({ username: 'nobody', password: 'wrong horse' });
  for (let round = 0; round < 10; round++) {
    assert.is(await statusFrom('127.0.0.2', server, '/healthz'), 200);
    assert.is(await statusFrom('127.0.0.2', server, '/account/login', body), 401);
    assert.ok(server.descriptors() - before <= most, String(server.descriptors() - before));
  }
  isOver = true;
  for (const socket of all) socket.destroy();
  await server.stop();
});

/** Many addresses, each of which keeps to its part. */
networks('of which there are many leave room for one more: who has most of the reserved part goes first', async () => {
  const server = await start({
    maxSockets: 64,
    platform: '  gateway: {perClient: 500}\n  api: {rateLimit: {signInPerMinute: 0}}\n',
  });
  const before = server.descriptors();
  const hog = (address: string) => {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress: address, allowHalfOpen: true });
    socket.on('error', () => {}).write(upgrade('/i/Open/x'));
    return socket.resume();
  };
  const hogs = ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'].flatMap((address) =>
    Array.from({ length: 20 }, () => hog(address)),
  );
  await until('no more are taken', () => server.descriptors() - before >= 50);
  const body = JSON.stringify({ username: 'nobody', password: 'wrong horse' });
  for (let round = 0; round < 10; round++) {
    assert.is(await statusFrom('127.0.0.2', server, '/healthz'), 200);
    assert.is(await statusFrom('127.0.0.2', server, '/account/login', body), 401);
    assert.ok(server.descriptors() - before <= most, String(server.descriptors() - before));
  }
  for (const socket of hogs) socket.destroy();
  await server.stop();
});

networks.run();

const source = suite('the sources');

source('end connections of clients by one function, which cuts them as well', () => {
  const files = readdirSync(resolve('src/http'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const ends = files.flatMap((name) =>
    readFileSync(resolve('src/http', name), 'utf8')
      .split('\n')
      .filter((line) => /\bsocket\.(end|destroySoon)\(/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  assert.equal(ends, [], 'use hangUp of lib/hang-up.ts');
});

source.run();
