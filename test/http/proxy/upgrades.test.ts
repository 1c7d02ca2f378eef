// timeout: 600
// Connections that become WebSockets or anything else: bytes both ways, each side ends by itself, and rights that are taken away end them.
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deleted, updated } from '../../../src/core/model/change.ts';
import { newId } from '../../../src/lib/id.ts';
import { until } from '../../support/until.ts';
import { type ProxyWorld, startProxyWorld, treeOf } from './stand-in.ts';

interface Taken {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
}

/** A runtime that takes every upgrade, and sends back what it gets. */
const taker = (taken: Taken[]) => {
  const server = createServer((_request, response) => response.writeHead(404, { 'X-Weir-Nothing': '1' }).end());
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.endsWith('/never')) return;
    if (request.url?.endsWith('/refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\nX-A: b\r\n\r\nno');
    if (request.url?.endsWith('/empty'))
      return void socket.end('HTTP/1.1 204 No Content\r\nContent-Length: 2\r\nX-A: b\r\n\r\n');
    if (request.url?.endsWith('/broken')) return void socket.destroy();
    taken.push({ request, socket });
    socket.on('error', () => {});
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Weir-A: b\r\nContent-Length: 0\r\n\r\nhello ',
    );
    if (head.length > 0) socket.write(head);
    if (!request.url?.endsWith('/half')) socket.pipe(socket);
    else socket.on('data', () => {}).once('end', () => socket.end('bye'));
  });
  return server;
};

interface Opened {
  readonly socket: Socket;
  readonly text: () => string;
  readonly isClosed: () => boolean;
}

async function open(
  world: ProxyWorld,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  first = '',
): Promise<Opened> {
  const lines = Object.entries({ host: 'weir.example', connection: 'Upgrade', upgrade: 'websocket', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  let isClosed = false;
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  socket
    .on('error', () => {})
    .once('close', () => {
      isClosed = true;
    });
  socket.once('end', () => socket.end());
  socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n${first}`);
  await until(() => text.includes('\r\n\r\n') || isClosed);
  return { socket, text: () => text, isClosed: () => isClosed };
}

const upgrades = suite<{ world: ProxyWorld; taken: Taken[] }>('a connection that is upgraded');
upgrades.before.each(async (context) => {
  context.world = await startProxyWorld(treeOf(['teamEndpointSecurity', 'protectedInstances']), {
    wayIn: { lookMs: 20 },
  });
  context.taken = [];
  await context.world.instance('A', taker(context.taken));
  await context.world.instance('Open', taker(context.taken), { endpointAccess: 'open' });
});
upgrades.after.each(({ world }) => world.close());

const bearer = (world: ProxyWorld, who: 'member' | 'viewer' | 'dashboard' | 'otherOwner') => ({
  authorization: `Bearer ${world.tokens[who]}`,
});

upgrades(
  'passes bytes both ways, those that came at once too, and no header that is Weir’s',
  async ({ world, taken }) => {
    const { socket, text } = await open(
      world,
      '/i/Open/x',
      { 'x-weir-principal': 'write', 'x-weir-a': 'b', cookie: 'weir_session=x; a=1' },
      'early ',
    );
    socket.write('later');
    await until(() => text().endsWith('later'));
    assert.match(text(), /^HTTP\/1\.1 101 Switching Protocols\r\n.*\r\n\r\nhello early later$/s);
    assert.not.match(text(), /X-Weir|Content-Length/i);
    const { headers = {}, url } = taken[0]?.request ?? {};
    assert.equal(
      [
        url,
        headers.upgrade,
        headers.connection,
        headers.cookie,
        headers['x-weir-principal'],
        headers['x-weir-a'],
        headers['x-forwarded-for'],
      ],
      ['/i/Open/x', 'websocket', 'upgrade', 'a=1', 'none', undefined, '127.0.0.1'],
    );
    socket.destroy();
  },
);

upgrades('a side that has ended still hears the other', async ({ world }) => {
  const { socket, text, isClosed } = await open(world, '/i/Open/half');
  socket.end('over');
  await until(isClosed);
  assert.match(text(), /hello bye$/);
});

upgrades('ends at the runtime when the client is gone, and the other way', async ({ world, taken }) => {
  const one = await open(world, '/i/Open/x');
  one.socket.destroy();
  await until(() => taken[0]?.socket.destroyed === true);
  const other = await open(world, '/i/Open/x');
  taken[1]?.socket.destroy();
  await until(other.isClosed);
});

upgrades(
  'is for those alone who may use endpoints; the one of the editor, for those who have it',
  async ({ world }) => {
    const statuses: Record<string, string> = {};
    for (const who of ['member', 'viewer', 'dashboard', 'otherOwner'] as const)
      for (const path of ['x', 'comms']) {
        const { socket, text } = await open(world, `/i/A/${path}`, bearer(world, who));
        statuses[`${who} ${path}`] = text().slice(9, 12);
        socket.destroy();
      }
    assert.equal(statuses, {
      'member x': '101',
      'member comms': '101',
      'viewer x': '101',
      'viewer comms': '101',
      'dashboard x': '101',
      'dashboard comms': '404',
      'otherOwner x': '404',
      'otherOwner comms': '404',
    });
    assert.match((await open(world, '/i/A/x')).text(), /^HTTP\/1\.1 401 /);
    assert.match((await open(world, '/i/Open/comms')).text(), /^HTTP\/1\.1 401 /);
    assert.match((await open(world, '/i/None/x', bearer(world, 'member'))).text(), /^HTTP\/1\.1 404 /);
    assert.match((await open(world, '/i/A/../Open/x')).text(), /^HTTP\/1\.1 400 /);
  },
);

upgrades('takes a cookie only from pages of this origin', async ({ world }) => {
  const { cookie = '' } = await world.browser('max');
  assert.match((await open(world, '/i/A/comms', { cookie })).text(), /^HTTP\/1\.1 403 /);
  assert.match((await open(world, '/i/A/comms', { cookie, origin: 'http://evil.example' })).text(), /^HTTP\/1\.1 403 /);
  const { socket, text } = await open(world, '/i/A/comms', { cookie, origin: 'http://weir.example' });
  assert.match(text(), /^HTTP\/1\.1 101 /);
  socket.destroy();
});

upgrades('ends soon after the session, the membership, or the right to the editor', async ({ world }) => {
  const cookieOf = async (user: string) => ({ ...(await world.signedIn(user)) });
  const drop = async (kind: 'Session' | 'Membership', of: (spec: object) => boolean) => {
    const found = [...world.store.read().all(kind)].filter(({ spec }) => of(spec));
    await world.store.commit(() => ({ changes: found.map(deleted) }), { id: newId() });
  };
  const bySession = await open(world, '/i/A/x', await cookieOf('max'));
  const byMembership = await open(world, '/i/A/x', await cookieOf('dora'));
  const editor = await open(world, '/i/A/comms', await cookieOf('olga'));
  const endpoint = await open(world, '/i/A/x', bearer(world, 'viewer'));
  await drop('Session', (spec) => 'user' in spec && spec.user === 'max');
  await until(bySession.isClosed);
  assert.not(byMembership.isClosed());
  await drop('Membership', (spec) => 'user' in spec && spec.user === 'dora');
  await until(byMembership.isClosed);
  await world.change('A', { protected: true });
  await until(editor.isClosed);
  endpoint.socket.destroy();
});

upgrades('ends soon after the session of somebody who is then a stranger, and may still come', async ({ world }) => {
  const own = await open(world, '/i/Open/x', { ...(await world.signedIn('otto')) });
  const strangers = await open(world, '/i/Open/x');
  const found = [...world.store.read().all('Session')].filter(({ spec }) => spec.user === 'otto');
  assert.is(found.length, 1);
  await world.store.commit(() => ({ changes: found.map(deleted) }), { id: newId() });
  await until(own.isClosed);
  assert.not(strangers.isClosed());
  strangers.socket.destroy();
});

upgrades('ends soon after its instance runs at another door', async ({ world }) => {
  const moved = await open(world, '/i/A/x', bearer(world, 'viewer'));
  const stays = await open(world, '/i/Open/x');
  world.runAnew('A');
  await until(moved.isClosed);
  assert.not(stays.isClosed());
  stays.socket.destroy();
});

upgrades('ends soon after the right to change flows, wherever it leads', async ({ world }) => {
  const { socket, isClosed } = await open(world, '/i/Open/x', bearer(world, 'member'));
  const viewer = await open(world, '/i/Open/x', bearer(world, 'viewer'));
  const found = [...world.store.read().all('Membership')].find(({ spec }) => spec.user === 'max');
  if (!found) throw new Error('no such membership');
  const after = { ...found, spec: { ...found.spec, role: 'viewer' as const } };
  await world.store.commit(() => ({ changes: [updated(found, after)] }), { id: newId() });
  await until(isClosed);
  assert.not(viewer.isClosed());
  for (const one of [socket, viewer.socket]) one.destroy();
});

upgrades(
  'no wish but for a WebSocket is heard: the request is answered as it is without it',
  async ({ world, taken }) => {
    for (const upgrade of ['h2c', 'echo', 'websocket, echo', 'TLS/1.0']) {
      const { socket, text } = await open(world, '/i/Open/x', { upgrade });
      assert.match(text(), /^HTTP\/1\.1 401 /, upgrade);
      socket.destroy();
    }
    const { socket, text } = await open(world, '/i/Open/x', { 'content-length': '1' }, 'x');
    assert.match(text(), /^HTTP\/1\.1 401 /, 'with a body');
    socket.destroy();
    assert.is(taken.length, 0);
  },
);

upgrades('a runtime that refuses is heard, and one that breaks off is 502', async ({ world }) => {
  const refused = await open(world, '/i/Open/refused');
  await until(refused.isClosed);
  assert.match(refused.text(), /^HTTP\/1\.1 403 Forbidden\r\n.*X-A: b\r\n.*\r\n\r\nno$/s);
  assert.match((await open(world, '/i/Open/broken')).text(), /^HTTP\/1\.1 502 .*bad_gateway/s);
});

// RFC 9110, 8.6.
upgrades('a refusal without content has no length, whatever the runtime says', async ({ world }) => {
  const { text, isClosed } = await open(world, '/i/Open/empty');
  await until(isClosed);
  assert.match(text(), /^HTTP\/1\.1 204 No Content\r\n.*X-A: b\r\n/s);
  assert.not.match(text(), /content-length/i);
});

upgrades(
  'what is no business of instances is answered as if nobody had asked for another connection',
  async ({ world }) => {
    const { text, socket } = await open(world, '/healthz', { upgrade: 'h2c', connection: 'Upgrade, HTTP2-Settings' });
    assert.match(text(), /^HTTP\/1\.1 200 OK/);
    socket.destroy();
  },
);

upgrades('a server that closes cuts them', async ({ world }) => {
  const { isClosed } = await open(world, '/i/Open/x');
  await world.app.close();
  await until(isClosed);
});

upgrades('a runtime that says nothing to it is 504', async () => {
  const world = await startProxyWorld(undefined, { wayIn: { headMs: 400 } });
  await world.instance('A', taker([]));
  assert.match((await open(world, '/i/A/never')).text(), /^HTTP\/1\.1 504 .*gateway_timeout/s);
  await world.close();
});

upgrades.run();
