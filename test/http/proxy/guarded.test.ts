// What nobody foresaw at the way in: one request fails, is logged and answered, and the server goes on.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { containedPool } from '../../../src/http/proxy/contained.ts';
import { guarded } from '../../../src/http/proxy/guarded.ts';
import { createRefusing } from '../../../src/http/proxy/refuse.ts';
import type { AnswerHead } from '../../../src/http/proxy/upstream/answer-head.ts';
import type { Piece } from '../../../src/http/proxy/upstream/order.ts';
import type { Pool } from '../../../src/http/proxy/upstream/pool.ts';
import { until } from '../../support/until.ts';
import { raw } from './stand-in.ts';

const lines: string[] = [];
const closed: string[] = [];
const refusing = createRefusing('http://weir.example');
const fail = (..._asked: unknown[]): never => {
  throw new Error('nobody foresaw this');
};
const wayIn = guarded(
  {
    handle: (request, response) => {
      const { url } = request;
      if (url === '/fine') return void response.end('fine');
      const planted = url?.startsWith('/later/') ? url.slice(7) : undefined;
      if (planted !== undefined) {
        if (planted === 'request-close') request.once('close', fail);
        else response.once(planted, fail);
        response.once('close', () => closed.push(planted));
        if (planted === 'drain') return void response.write('x'.repeat(4_000_000));
        return void response.end('later');
      }
      if (url === '/begun') response.write('begun');
      if (url === '/cookie') response.setHeader('set-cookie', 'a=1');
      fail();
    },
    upgrade: (request, socket, ..._more) => {
      if (!request.url?.startsWith('/later/')) return fail();
      socket.write('begun');
      socket.once(request.url.slice(7), fail);
      socket.resume();
    },
  },
  refusing,
  (message) => lines.push(message),
);
const server = createServer((request, response) => wayIn.handle(request, response));
server.on('upgrade', (request, socket, head) => wayIn.upgrade(request, socket, head, false));
await once(server.listen(0, '127.0.0.1'), 'listening');
const { port } = server.address() as AddressInfo;
const get = (path: string, more = 'Connection: close\r\n') =>
  raw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`);

const guard = suite('the way in, whatever is thrown');
guard.after(() => void server.close());
guard.after.each(async () => {
  lines.length = 0;
  assert.match(await get('/fine'), /^HTTP\/1\.1 200 /);
});

guard('answers 500 without a word from inside, and logs all but the query', async () => {
  const answer = await get('/cookie?ticket=secret');
  assert.match(answer, /^HTTP\/1\.1 500 /);
  assert.match(answer, '"code":"internal"');
  assert.not.match(answer, /foresaw|set-cookie/i);
  assert.match(lines.join(), /^GET \/cookie failed: Error: nobody foresaw this\n/);
  assert.not.match(lines.join(), 'secret');
});

guard('cuts an answer that has begun: it never looks whole', async () => {
  const answer = await get('/begun');
  assert.not.match(answer, '\r\n0\r\n\r\n');
  assert.is(lines.length, 1);
});

for (const event of ['drain', 'finish', 'close', 'request-close', 'prefinish'])
  guard(`goes on where a listener throws later: ${event}`, async () => {
    await get(`/later/${event}`);
    await until(() => closed.includes(event));
    assert.match(lines.join(), new RegExp(`^GET /later/${event} failed later: Error: nobody foresaw this`));
    assert.is(lines.length, 1);
  });

for (const event of ['data', 'end'])
  guard(`cuts an upgraded connection whose listener throws later: ${event}`, async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(`GET /later/${event} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    await once(socket, 'data');
    if (event === 'data') socket.write('x');
    else socket.end();
    if (!socket.closed) await once(socket, 'close');
    await until(() => lines.length > 0);
    assert.match(lines.join(), `the upgrade of /later/${event} failed later: Error: nobody foresaw this`);
  });

guard('fails one order where what is told of its answer throws', () => {
  const failures: unknown[] = [];
  const told: boolean[] = [];
  const pool: Pool = {
    place: ({ recipient }) => {
      told.push(recipient.head({} as AnswerHead), recipient.piece({} as Piece));
      recipient.failed('ended');
      return { resume: () => {}, abandon: () => {} };
    },
    size: () => 0,
    destroy: () => {},
  };
  const order = { ...{ method: 'GET', head: '', body: undefined, isFresh: false, headMs: 1 } };
  containedPool(pool, (error) => failures.push(error)).place({
    ...order,
    recipient: { head: fail, piece: fail, failed: fail },
  });
  assert.equal(told, [false, true]);
  assert.is(failures.length, 3);
});

guard('refuses an upgrade', async () => {
  const answer = await get('/x', 'Connection: Upgrade\r\nUpgrade: websocket\r\n');
  assert.match(answer, /^HTTP\/1\.1 500 /);
  assert.match(lines.join(), /^the upgrade of \/x failed: /);
});

guard('cuts where even refusing fails', async () => {
  const broken = guarded({ handle: fail, upgrade: fail }, { refuse: fail, hangUp: fail }, () => {});
  const other = createServer((request, response) => broken.handle(request, response));
  other.on('upgrade', (request, socket, head) => broken.upgrade(request, socket, head, false));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port: at } = other.address() as AddressInfo;
  assert.is(await raw(at, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'), '');
  assert.is(await raw(at, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'), '');
  other.close();
});

guard('a redirect goes to what a header can hold, whatever it is given', async () => {
  const places: readonly (readonly [string, string])[] = [
    ['/?\u20ac', '/?%E2%82%AC'],
    ['/\r\nA: b', '/%0D%0AA:%20b'],
    ['/?\u00e9', '/?%E9'],
    ['/?\ud800', '/?%EF%BF%BD'],
    ['/a%20b?c=d', '/a%20b?c=d'],
  ];
  for (const [given, sent] of places) {
    const leads = createServer((request, response) => refusing.redirect(request, response, given));
    await once(leads.listen(0, '127.0.0.1'), 'listening');
    const answer = await raw(
      (leads.address() as AddressInfo).port,
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.ok(answer.includes(`\r\nlocation: ${sent}\r\n`), answer);
    leads.close();
  }
});

guard.run();
