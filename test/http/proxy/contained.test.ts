// What is thrown on the runtime's side of the gateway, and in its timers: one request or tunnel fails, it is logged, and the rest goes on.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openTunnel } from '../../../src/http/proxy/tunnel.ts';
import { createBuffers } from '../../../src/http/proxy/upstream/buffers.ts';
import type { Order, Recipient, Trouble } from '../../../src/http/proxy/upstream/order.ts';
import { createPool } from '../../../src/http/proxy/upstream/pool.ts';
import { until } from '../../support/until.ts';

const fail = (): never => {
  throw new Error('nobody foresaw this');
};

const answerOf = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A runtime that answers each request, but those to `/never`; `/end` makes it hang up. */
const runtime = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    const head = bytes.toString('latin1');
    if (head.startsWith('GET /end')) socket.end();
    else if (head.startsWith('GET /upgrade'))
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    else if (head.startsWith('GET /refuse')) socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nno');
    else if (!head.startsWith('GET /never')) socket.write(answerOf('fine'));
  });
});
await once(runtime.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${(runtime.address() as AddressInfo).port}`;

const logged: unknown[] = [];
const escaped: unknown[] = [];
const catchEscaped = (error: unknown) => escaped.push(error);
process.on('uncaughtException', catchEscaped);

const poolOf = (most = 4, buffers = createBuffers()) =>
  createPool({ origin, buffers, bodyMs: 1000, most, log: (error) => logged.push(error) });

type Pool = ReturnType<typeof poolOf>;

interface Asked {
  readonly text: () => string;
  readonly trouble: () => Trouble | undefined;
}

function ask(pool: Pool, path: string, recipient: Partial<Recipient> = {}, order: Partial<Order> = {}): Asked {
  let text = '';
  let trouble: Trouble | undefined;
  pool.place({
    ...{
      method: 'GET',
      head: `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
      body: undefined,
      isFresh: false,
      headMs: 2000,
    },
    ...order,
    recipient: {
      head: () => true,
      piece: ({ bytes }) => {
        text += bytes.toString('latin1');
        return true;
      },
      failed: (of) => {
        trouble = of;
      },
      ...recipient,
    },
  });
  return { text: () => text, trouble: () => trouble };
}

async function answers(pool: Pool): Promise<void> {
  const { text } = ask(pool, '/fine');
  await until(() => text() === 'fine');
}

const net = suite("the runtime's side of the gateway, whatever is thrown");
net.before.each(() => {
  logged.length = 0;
  escaped.length = 0;
});
net.after.each(() => assert.equal(escaped, []));
net.after(() => {
  process.off('uncaughtException', catchEscaped);
  runtime.close();
});

net('while an answer is read: the one order fails', async () => {
  const pool = poolOf();
  const { trouble } = ask(pool, '/', { piece: fail });
  await until(() => trouble() !== undefined);
  assert.is(trouble(), 'ended');
  assert.match(String(logged), 'nobody foresaw this');
  await answers(pool);
  pool.destroy();
});

net('by a listener of a connection: its place is given back all the same', async () => {
  const pool = poolOf(1);
  ask(pool, '/end', { failed: fail });
  await until(() => logged.length > 0 && pool.size() === 0);
  await answers(pool);
  pool.destroy();
});

net('by a connection that is looked at, and by one who has waited too long: the timer goes on', async () => {
  const pool = poolOf(1);
  ask(pool, '/never', { failed: fail }, { headMs: 1 });
  ask(pool, '/', { failed: fail }, { headMs: 1 });
  const next = ask(pool, '/', {}, { headMs: 1 });
  await until(() => next.trouble() === 'late');
  await until(() => pool.size() === 0);
  assert.ok(logged.length >= 2);
  await answers(pool);
  pool.destroy();
});

net('while a request is sent by a connection that has become free: it alone fails', async () => {
  const pool = poolOf(1);
  const first = ask(pool, '/');
  // A body that cannot be listened to.
  const body = { from: { on: fail } as never, isChunked: false, mostBytes: 1 };
  const second = ask(pool, '/', {}, { body });
  await until(() => first.text() === 'fine' && second.trouble() === 'ended');
  assert.match(String(logged), 'nobody foresaw this');
  await answers(pool);
  pool.destroy();
});

net('by all who are told that the pool is gone: each is told', async () => {
  const pool = poolOf(1);
  ask(pool, '/never', { failed: fail });
  ask(pool, '/', { failed: fail });
  const last = ask(pool, '/');
  pool.destroy();
  assert.is(last.trouble(), 'ended');
  assert.is(logged.length, 2);
});

/** A tunnel between a client and the runtime, some of which throws. */
async function tunnelTo(path: string, planted: { readonly answeredTo?: never; readonly refuse?: () => never }) {
  const inner = createServer();
  await once(inner.listen(0, '127.0.0.1'), 'listening');
  const client = connect((inner.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {}).resume();
  const [socket] = await once(inner, 'connection');
  socket.on('error', () => {});
  inner.close();
  openTunnel({
    ...{ request: { method: 'GET', headers: { upgrade: 'x' } } as never, socket, head: Buffer.alloc(0), origin, path },
    ...{ headers: ['host', 'x'], patience: { headMs: 200, tunnelMs: 1000 }, failed: () => {} },
    answeredTo: { sharedPath: undefined, policy: undefined },
    refuse: () => {},
    log: (error) => logged.push(error),
    ...planted,
  });
  return { client, socket };
}

/** Throws whenever something of it is asked. */
const broken = new Proxy({}, { get: fail }) as never;

for (const path of ['/upgrade', '/refuse'])
  net(`while the answer to ${path} is passed on: the tunnel ends`, async () => {
    const { client } = await tunnelTo(path, { answeredTo: broken });
    if (!client.closed) await once(client, 'close');
    assert.match(String(logged), 'nobody foresaw this');
  });

for (const path of ['/never', '/end'])
  net(`while a tunnel to ${path} is refused: it ends`, async () => {
    const { client } = await tunnelTo(path, { refuse: fail });
    if (!client.closed) await once(client, 'close');
    assert.match(String(logged), 'nobody foresaw this');
  });

net('by a listener of the connection to a runtime: the tunnel ends, at both ends', async () => {
  const { client, socket } = await tunnelTo('/upgrade', {});
  await once(client, 'data');
  // When the runtime is gone, the client's side is ended, by a listener of the connection to the runtime.
  socket.end = fail;
  client.write('GET /end');
  if (!client.closed) await once(client, 'close');
  assert.match(String(logged), 'nobody foresaw this');
  await until(async () => (await count()) === 0);
});

function count(): Promise<number> {
  return new Promise((resolve, reject) => {
    runtime.getConnections((error, found) => (error ? reject(error) : resolve(found)));
  });
}

net.run();
