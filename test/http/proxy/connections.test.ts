// timeout: 600
// The connections to runtimes: used again where that is safe, made anew where it is not, given up in time, and never mixed up.
import { once } from 'node:events';
import { createServer as createHttp, get, type IncomingMessage, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { requestHead } from '../../../src/http/proxy/upstream/request-head.ts';
import { until } from '../../support/until.ts';
import { gatewayOfOurs, type Ours } from './by-ours.ts';

type Options = Parameters<typeof gatewayOfOurs>[1];

const open: (() => Promise<void> | void)[] = [];
const connections = suite('the connections to runtimes');
connections.after.each(async () => {
  for (const close of open.splice(0)) await close();
});

/** A gateway before a runtime. */
async function before(runtime: Server, options: Options = {}): Promise<Ours & { readonly port: number }> {
  if (!runtime.listening) await once(runtime.listen(0, '127.0.0.1'), 'listening');
  const ours = gatewayOfOurs(`http://127.0.0.1:${portOf(runtime)}`, options);
  await once(ours.server.listen(0, '127.0.0.1'), 'listening');
  open.push(async () => {
    await ours.close();
    ours.server.closeAllConnections();
    ours.server.close();
    runtime.close();
  });
  return { ...ours, port: portOf(ours.server) };
}

/** A runtime that answers bytes to each request; `requests` has what it was sent, and `sockets` on how many connections. */
function speaking(answer: (socket: Socket, count: number) => void) {
  const [requests, sockets]: [string[], Socket[]] = [[], []];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (part) => {
      requests.push(String(part));
      answer(socket, requests.length);
    });
  });
  return { server, requests, sockets };
}

function portOf(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port;
}

interface Got {
  readonly status: number;
  readonly body: string;
  readonly trailers: IncomingMessage['trailers'];
}

function ask(port: number, { method = 'GET', body = '', path = '/' } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method, path, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('latin1').on('data', (part: string) => {
        text += part;
      });
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: text, trailers: answer.trailers }));
    });
    asked.once('error', reject).end(body);
  });
}

const small = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

connections('one connection carries many requests, where each answer ends where it says', async () => {
  const { server, sockets } = speaking((socket) => socket.write(small));
  const { port } = await before(server);
  for (let count = 0; count < 20; count += 1) assert.is((await ask(port)).body, 'ok');
  assert.is(sockets.length, 1);
});

for (const [what, method, answer] of [
  ['that says close', 'GET', 'HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok'],
  ['of HTTP/1.0', 'GET', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ['that is kept for too short', 'GET', 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok'],
  ['to HEAD, which may have a body by mistake', 'HEAD', small],
  ['without a body that announces one', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n'],
  ['with something behind it', 'GET', `${small}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`],
] as const)
  connections(`after an answer ${what} the next request gets a connection of its own`, async () => {
    const { server, sockets } = speaking((socket) => socket.write(answer));
    const { port } = await before(server);
    for (let count = 1; count < 4; count += 1) {
      const { status, body } = await ask(port, { method });
      assert.ok(status < 300 && !body.includes('evil'));
      assert.is(sockets.length, count);
    }
  });

connections('what a runtime says unasked is nobody’s answer', async () => {
  const { server, sockets } = speaking((socket) => socket.write(small));
  const { port } = await before(server);
  assert.is((await ask(port)).body, 'ok');
  sockets[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
  await until('the connection is cut', () => sockets[0]?.destroyed || sockets[0]?.readableEnded);
  assert.is((await ask(port)).body, 'ok');
  assert.is(sockets.length, 2);
});

for (const [method, body, wanted] of [
  ['GET', '', 200],
  ['DELETE', '', 200],
  ['POST', '', 502],
  ['PUT', 'body', 502],
] as const)
  connections(`${method} ${body} on a connection that has just ended is ${wanted}`, async () => {
    // The second request on a connection finds it ended, as one that was idle for too long.
    const seen = new Map<Socket, number>();
    const { server, sockets } = speaking((socket) => {
      seen.set(socket, (seen.get(socket) ?? 0) + 1);
      if (seen.get(socket) === 1) socket.write(small);
      else socket.destroy();
    });
    const { port } = await before(server);
    assert.is((await ask(port)).status, 200);
    assert.is((await ask(port, { method, body })).status, wanted);
    assert.is(sockets.length, wanted === 200 ? 2 : 1);
  });

connections('a new connection that ends at once is not tried again', async () => {
  const { server, sockets } = speaking((socket) => socket.destroy());
  const { port } = await before(server);
  assert.is((await ask(port)).status, 502);
  assert.is(sockets.length, 1);
});

connections('more requests than connections wait in line, and all are answered', async () => {
  const waiting: (() => void)[] = [];
  let [now, most] = [0, 0];
  const runtime = createHttp((_request, response) => {
    now += 1;
    most = Math.max(most, now);
    waiting.push(() => {
      now -= 1;
      response.end('ok');
    });
  });
  const { port } = await before(runtime, { most: 3 });
  const all = Array.from({ length: 10 }, () => ask(port));
  for (let count = 0; count < 10; count += 1) (await until('one more has come', () => waiting.shift()))();
  assert.equal(
    (await Promise.all(all)).map(({ status }) => status),
    Array(10).fill(200),
  );
  assert.is(most, 3);
});

connections('of connections that a runtime would keep open for long, few stay, and for a minute at most', async () => {
  const waiting: (() => void)[] = [];
  const runtime = createHttp((_request, response) => {
    waiting.push(() => response.writeHead(200, { 'Keep-Alive': 'timeout=602', Connection: 'keep-alive' }).end('x'));
    if (waiting.length === 40) for (const answer of waiting) answer();
  });
  runtime.keepAliveTimeout = 602_000;
  const { port, pools } = await before(runtime, { most: 40 });
  const now = performance.now.bind(performance);
  await Promise.all(Array.from({ length: 40 }, () => ask(port)));
  await until('few are left', () => pools.open() <= 16);
  assert.ok(pools.open() > 0, String(pools.open()));
  performance.now = () => now() + 61_000;
  try {
    await until('none is left after a minute', () => pools.open() === 0);
  } finally {
    performance.now = now;
  }
});

connections('who waits in line for too long is told so, and who gave up takes no place', async () => {
  const held = new Map<string | undefined, () => void>();
  const runtime = createHttp((asked, response) => void held.set(asked.url, () => response.end('ok')));
  const { port, failures } = await before(runtime, { most: 1, headMs: 1500 });
  const first = ask(port);
  await until('the first has come', () => held.size === 1);
  const gone = connect(port, '127.0.0.1', () => gone.write('GET /gone HTTP/1.1\r\nHost: a\r\n\r\n'));
  const second = ask(port);
  gone.destroy();
  assert.equal([(await first).status, (await second).status], [504, 504]);
  assert.is(failures.length, 2);
  const third = ask(port, { path: '/third' });
  (await until('the third has come', () => held.get('/third')))();
  assert.is((await third).status, 200);
  assert.not(held.has('/gone'));
});

connections('a runtime that drips its head, or falls silent in its body, is given up', async () => {
  let drips: NodeJS.Timeout | undefined;
  const { server } = speaking((socket, count) => {
    if (count > 1) return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun');
    socket.write('HTTP/1.1 200 OK\r\n');
    drips = setInterval(() => socket.write('X'), 100);
  });
  const { port } = await before(server, { headMs: 600, bodyMs: 600 });
  assert.is((await ask(port)).status, 504);
  clearInterval(drips);
  assert.is(await ask(port).catch(() => 'cut'), 'cut');
});

connections('pipelined requests are answered in their order, however late the first is', async () => {
  const later: (() => void)[] = [];
  const answers: Record<string, RequestListener> = {
    '/slow': (_request, response) => void later.push(() => response.end('S'.repeat(200_000))),
    '/large': (_request, response) => response.end('L'.repeat(400_000)),
    '/quick': (_request, response) => response.end('Q'),
  };
  const runtime = createHttp((asked, response) => answers[asked.url ?? '']?.(asked, response));
  const { port } = await before(runtime);
  const client = connect(port, '127.0.0.1');
  let got = '';
  client.setEncoding('latin1').on('data', (part) => {
    got += part;
  });
  const line = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  client.write(line('/slow') + line('/large') + line('/quick') + line('/quick', 'Connection: close\r\n'));
  (await until('the first has come', () => later[0]))();
  await once(client, 'close');
  const letters = got.replace(/HTTP[\s\S]*?\r\n\r\n/g, '').replace(/\r\n[\da-f]*/gi, '');
  assert.match(letters.replace(/(.)\1+/g, '$1'), /^.*SLQ/);
  assert.is((got.match(/HTTP\/1\.1 200 OK/g) ?? []).length, 4);
});

connections('what trails a body is passed on, but for what only heads decide', async () => {
  const { server } = speaking((socket) =>
    socket.write(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\nSet-Cookie: weir_session=x\r\nContent-Length: 9\r\nX-Weir-Own: x\r\n\r\n',
    ),
  );
  const { port } = await before(server);
  const { body, trailers } = await ask(port);
  assert.equal([body, { ...trailers }], ['ok', { 'x-sum': '7' }]);
});

connections('a client of HTTP/1.0 gets an answer that it can read', async () => {
  const { server } = speaking((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
  );
  const { port } = await before(server);
  const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.0\r\n\r\n'));
  const [first] = await once(client.setEncoding('latin1'), 'data');
  assert.match(String(first), /\r\n\r\nok$/);
  assert.not.match(String(first), /transfer-encoding/i);
  await once(client.resume(), 'end');
});

connections('a body of unknown length goes in chunks, and no further than it may', async () => {
  const runtime = createHttp((asked, response) => {
    let length = 0;
    asked.on('data', (part: Buffer) => {
      length += part.length;
    });
    asked.on('end', () => response.end(`${length} ${asked.headers['transfer-encoding']}`));
  });
  const { port } = await before(runtime, { maxBody: 100_000 });
  const send = (pieces: number) =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', method: 'POST', agent: false }, (answer) => {
        let text = '';
        answer.setEncoding('latin1').on('data', (part) => {
          text += part;
        });
        answer.once('end', () => resolve(`${answer.statusCode} ${text}`));
      });
      asked.once('error', reject);
      for (let count = 0; count < pieces; count += 1) asked.write(Buffer.alloc(10_000));
      asked.end();
    });
  assert.is(await send(10), '200 100000 chunked');
  assert.match(await send(11), /^413 /);
  assert.is((await ask(port, { method: 'POST', body: 'x'.repeat(100_001) })).status, 413);
  assert.is(await send(1), '200 10000 chunked');
});

connections(
  'a runtime that ends anywhere in its answer leaves no answer that looks whole, and nothing behind',
  async () => {
    const whole =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-A: b\r\n\r\n';
    let length = 0;
    const { server, sockets } = speaking((socket) => socket.end(whole.slice(0, length), 'latin1'));
    const { port } = await before(server);
    for (length = 0; length < whole.length; length += 1) {
      const got = await ask(port).catch(() => 'cut');
      assert.ok(
        got === 'cut' || (typeof got === 'object' && got.status === 502),
        `after ${length} bytes: ${JSON.stringify(got)}`,
      );
    }
    assert.is((await ask(port)).body, 'hello world');
    await until('no connection is left', () => sockets.every(({ destroyed }) => destroyed));
  },
);

connections('a client that goes away at any moment ends its request, and takes nothing with it', async () => {
  const runtime = createHttp((_request, response) => {
    response.write('x'.repeat(100_000));
    const timer = setInterval(() => response.write('x'.repeat(100_000)), 1);
    response.once('close', () => clearInterval(timer));
  });
  const { port } = await before(runtime, { most: 2 });
  for (const after of [0, 1, 100, 5000, 100_000, 1_000_000]) {
    const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    let got = 0;
    if (after > 0)
      client.on('data', (part) => {
        got += part.length;
      });
    await until('so much has come', () => got >= after);
    client.destroy();
  }
  const counted = () => new Promise<number>((done) => runtime.getConnections((_error, count) => done(count)));
  await until('the runtime is rid of all', async () => (await counted()) === 0);
});

connections('large answers of many at once are what the runtime sent, also where clients read in jerks', async () => {
  const runtime = createHttp((asked, response) => {
    const letter = (asked.url ?? '/a').slice(1);
    if (letter < 'd') response.setHeader('Content-Length', 1_500_000);
    for (let count = 0; count < 15; count += 1) response.write(letter.repeat(100_000));
    response.end();
  });
  const { port } = await before(runtime, { most: 8 });
  const take = (letter: string) =>
    new Promise<string>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: `/${letter}`, agent: false }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => {
          parts.push(part);
          if (parts.length % 3 > 0) return;
          answer.pause();
          setTimeout(() => answer.resume(), 2);
        });
        answer.once('error', reject).once('end', () => resolve(String(Buffer.concat(parts))));
      }).once('error', reject);
    });
  const all = await Promise.all([...'abcdefabcdef'].map(async (letter) => [letter, await take(letter)] as const));
  for (const [letter, text] of all) assert.ok(text === letter.repeat(1_500_000), `${letter}: ${text.length} bytes`);
});

for (const [what, path, headers] of [
  ['a line of its own', '/', ['x-a', 'b\r\nx-c: d']],
  ['a character that would become a line feed', '/', ['x-a', 'b\u010ax-c: d']],
  ['a NUL', '/', ['x-a', 'b\0']],
  ['a colon in a name', '/', ['x-a: b\r\nx-c', 'd']],
  ['a blank in a path', '/ HTTP/1.1\r\nx-a: b', []],
] as const)
  connections(`a head with ${what} is none`, () => {
    assert.is(requestHead('GET', path, headers, 'as said'), undefined);
    assert.match(requestHead('GET', '/?a', ['x-a', 'é\t'], 'none') ?? '', /^GET \/\?a HTTP\/1\.1\r\nx-a: é\t\r\n/);
  });

connections('an instance that is dropped ends what is under way, and is not asked again', async () => {
  const { server, requests } = speaking(() => {});
  const { port, pools, failures } = await before(server, { most: 1 });
  const [first, second] = [ask(port), ask(port)];
  await until('the first has come', () => requests.length === 1);
  pools.drop('A');
  assert.equal([(await first).status, (await second).status], [502, 502]);
  assert.is(requests.length, 1);
  assert.is(failures.length, 2);
});

connections.run();
