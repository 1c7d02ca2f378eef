// timeout: 600
// Answers and bodies as they flow: as fast as the slower side takes them, whole or cut off, and never one instance's trouble for another.

import { once } from 'node:events';
import { request as ask, createServer as createHttp, type RequestListener } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updated } from '../../../src/core/model/change.ts';
import { singleton } from '../../../src/core/model/view.ts';
import { newId } from '../../../src/lib/id.ts';
import { until } from '../../support/until.ts';
import { type ProxyWorld, startProxyWorld, treeOf } from './stand-in.ts';

const streams = suite<{ world: ProxyWorld }>('what flows');
streams.before.each(async (context) => {
  const files = treeOf([], '  gateway: {perInstance: 4, perClient: 6}\n');
  const roomy = String(files['types.yaml']).replace(
    'standard}\nspec: {}',
    'standard}\nspec: {options: {apiMaxLength: {value: 1gb}}}',
  );
  context.world = await startProxyWorld({ ...files, 'types.yaml': roomy });
});
streams.after.each(({ world }) => world.close());

/** A runtime of bytes: what it says, and when, is up to the test. */
const bytes = (speak: (socket: Socket) => void) =>
  createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => speak(socket));
  });

streams('an answer comes piece by piece, as the runtime sends it', async ({ world }) => {
  let more: (() => void) | undefined;
  await world.instance('A', (_request, response) => {
    response.write('one');
    more = () => response.end('two');
  });
  const request = ask({ port: world.port, path: '/i/A/x', headers: { host: 'weir.example' } }).end();
  const [response] = await once(request, 'response');
  const pieces: string[] = [];
  response.on('data', (part: Buffer) => pieces.push(String(part)));
  await until(() => pieces.length === 1);
  more?.();
  await until(() => response.complete);
  assert.equal(pieces, ['one', 'two']);
});

streams('who reads slowly slows the runtime down, and nothing piles up', async ({ world }) => {
  let written = 0;
  const chunk = Buffer.alloc(65_536);
  await world.instance('A', (_request, response) => {
    const go = () => {
      while (written < 1500) {
        written += 1;
        if (!response.write(chunk)) return void response.once('drain', go);
      }
      response.end();
    };
    go();
  });
  const request = ask({ port: world.port, path: '/i/A/x', headers: { host: 'weir.example' } }).end();
  const [response] = await once(request, 'response');
  response.pause();
  let before = -1;
  await until(() => {
    const isStill = written === before && written > 0;
    before = written;
    return isStill;
  });
  assert.ok(written < 1000, `${written} pieces of 1500 were taken`);
  let got = 0;
  response.on('data', (part: Buffer) => {
    got += part.length;
  });
  response.resume();
  await until(() => response.complete);
  assert.is(got, 1500 * 65_536);
});

streams('a body goes through whole, and no faster than the runtime reads', async ({ world }) => {
  let got = 0;
  let read: (() => void) | undefined;
  await world.instance('A', (request, response) => {
    read = () => {
      request.on('data', (part: Buffer) => {
        got += part.length;
      });
    };
    request.once('end', () => response.end(String(got)));
  });
  const request = ask({ port: world.port, method: 'POST', path: '/i/A/x', headers: { host: 'weir.example' } });
  let sent = 0;
  const chunk = Buffer.alloc(65_536);
  const go = () => {
    while (sent < 1500) {
      sent += 1;
      if (!request.write(chunk)) return void request.once('drain', go);
    }
    request.end();
  };
  go();
  let before = -1;
  await until(() => {
    const isStill = sent === before && read !== undefined;
    before = sent;
    return isStill;
  });
  assert.ok(sent < 1000, `${sent} pieces of 1500 were taken`);
  read?.();
  const [response] = await once(request, 'response');
  const [text] = await once(response, 'data');
  assert.is(Number(text), 1500 * 65_536);
});

streams('a runtime that never begins its answer is 504', async () => {
  const world = await startProxyWorld(undefined, { wayIn: { headMs: 400 } });
  await world.instance('A', () => {});
  const { status, text } = await world.get('/i/A/x');
  assert.equal([status, JSON.parse(text).code], [504, 'gateway_timeout']);
  await world.close();
});

for (const [what, said] of [
  ['ends the connection before it answers', ''],
  ['ends within the head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['answers what is not HTTP', 'hello\r\n\r\n'],
  ['answers two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
] as const)
  streams(`a runtime that ${what} is 502`, async ({ world }) => {
    await world.instance(
      'A',
      bytes((socket) => socket.end(said)),
    );
    const { status, text } = await world.get('/i/A/x');
    assert.equal([status, JSON.parse(text).code], [502, 'bad_gateway']);
    assert.is((await world.get('/i/A/x', { method: 'POST', body: 'x' })).status, 502);
  });

for (const [what, head] of [
  ['of a length', 'Content-Length: 10'],
  ['in chunks', 'Transfer-Encoding: chunked'],
] as const)
  streams(`an answer ${what} that breaks off is cut off, and never looks whole`, async ({ world }) => {
    const part = head.startsWith('T') ? '3\r\nabc\r\n' : 'abc';
    await world.instance(
      'A',
      bytes((socket) => socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${part}`, () => socket.destroy())),
    );
    const answer = await world.raw('GET /i/A/x HTTP/1.1\r\nHost: weir.example\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 200 OK/);
    assert.not.match(answer, /\r\n0\r\n\r\n$/);
  });

streams('a port that nobody listens on is 502', async ({ world }) => {
  const gone = createHttp().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  await world.instance('A', gone);
  gone.close();
  await once(gone, 'close');
  assert.is((await world.get('/i/A/x')).status, 502);
});

streams('a client that goes away ends its request at the runtime', async ({ world }) => {
  let isGone = false;
  let hasCome = false;
  await world.instance('A', (_request, response) => {
    hasCome = true;
    response.once('close', () => {
      isGone = true;
    });
  });
  const socket = connect(world.port, '127.0.0.1', () =>
    socket.write('GET /i/A/x HTTP/1.1\r\nHost: weir.example\r\n\r\n'),
  );
  await until(() => hasCome);
  socket.destroy();
  await until(() => isGone);
});

streams('an instance that hangs takes as many places as it may, and none from others', async ({ world }) => {
  const hung = new Set<() => void>();
  await world.instance('A', (_request, response) => hung.add(() => response.end()));
  await world.instance('B', (_request, response) => response.end('B'));
  const waiting = [1, 2, 3, 4].map(() => world.get('/i/A/x'));
  await until(() => hung.size === 4);
  const { status, headers, text } = await world.get('/i/A/x');
  assert.equal([status, headers['retry-after']], [503, '2']);
  assert.match(JSON.parse(text).detail, /^The instance has/);
  assert.is((await world.get('/i/B/x')).text, 'B');
  assert.is((await world.get('/healthz')).status, 200);
  for (const end of hung) end();
  for (const { status } of await Promise.all(waiting)) assert.ok([200, 504].includes(status));
  assert.is((await world.get('/i/B/x')).status, 200);
});

streams('a client has its bound as well', async ({ world }) => {
  const hung = new Set<() => void>();
  const hang: RequestListener = (_request, response) => hung.add(() => response.end());
  for (const id of ['A', 'B']) await world.instance(id, hang);
  const waiting = ['A', 'A', 'A', 'B', 'B', 'B'].map((id) => world.get(`/i/${id}/x`));
  await until(() => hung.size === 6);
  assert.match((await world.get('/i/B/x')).text, /This address has/);
  for (const end of hung) end();
  await Promise.all(waiting);
});

streams('an early answer reaches who still sends, where the runtime lets it', async ({ world }) => {
  await world.instance('A', (_request, response) => response.writeHead(413).end('too much'));
  const { status, text } = await world.get('/i/A/x', { method: 'POST', body: 'x'.repeat(3_000_000) });
  assert.equal([status, text], [413, 'too much']);
});

streams('HEAD, 204 and 304 have no body, and every method goes through', async ({ world }) => {
  await world.instance('A', (request, response) => {
    if (request.method === 'HEAD') response.setHeader('Content-Length', '5').end();
    else if (request.url === '/i/A/none') response.writeHead(204).end();
    else if (request.url === '/i/A/same') response.writeHead(304, { etag: '"a"' }).end();
    else response.end(`${request.method} ${request.headers['content-length'] ?? 'none'}`);
  });
  const head = await world.get('/i/A/x', { method: 'HEAD' });
  assert.equal([head.status, head.headers['content-length'], head.text], [200, '5', '']);
  assert.is((await world.get('/i/A/none')).status, 204);
  const same = await world.get('/i/A/same');
  assert.equal([same.status, same.headers.etag], [304, '"a"']);
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
    assert.match((await world.get('/i/A/x', { method })).text, new RegExp(`^${method} `), method);
});

streams('a body on GET is a body too', async ({ world }) => {
  await world.instance('A', async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    response.end(text);
  });
  assert.is((await world.get('/i/A/x', { body: 'abc', headers: { 'content-length': '3' } })).text, 'abc');
});

streams('a server that closes lets answers end, and cuts what does not', async ({ world }) => {
  let finish: (() => void) | undefined;
  await world.instance('A', (_request, response) => {
    finish = () => response.end('done');
  });
  await world.instance('B', (_request, response) => void response.write('begun'));
  const [ends, never] = [world.get('/i/A/x'), world.get('/i/B/x').catch(() => 'cut')];
  await until(() => finish !== undefined);
  const closed = world.app.close();
  finish?.();
  assert.equal([(await ends).text, (await ends).headers.connection], ['done', 'close']);
  assert.is(await never, 'cut');
  await closed;
});

streams('answers of instances are counted, under a route that names none', async ({ world }) => {
  await world.instance('A', (_request, response) => response.writeHead(418).end());
  assert.is((await world.get('/i/A/some/path')).status, 418);
  const { text } = await world.get('/api/v1/admin/stats', {
    as: 'admin',
    headers: { accept: 'application/openmetrics-text' },
  });
  assert.match(text, /^weir_http_request_duration_seconds_count\{.*route="\/i\/:id\/\*".*\} 1$/m);
  assert.match(text, /^weir_http_requests_total\{status="418"\} 1$/m);
  assert.not.match(text, /some.path/);
});

streams('a server that closes refuses what comes on an open connection, and hangs up', async ({ world }) => {
  const held: (() => void)[] = [];
  await world.instance('A', (_request, response) => void held.push(() => response.end('first')));
  const line = 'GET /i/A/x HTTP/1.1\r\nHost: weir.example\r\n\r\n';
  let got = '';
  const socket = connect(world.port, '127.0.0.1', () => socket.write(line + line));
  socket.setEncoding('latin1').on('data', (part) => {
    got += part;
  });
  await until(() => held.length === 2);
  const closed = world.app.close();
  for (const end of held) end();
  await once(socket, 'close');
  assert.match(got, /first/);
  assert.match(got, /connection: close/i);
  await closed;
});

streams('a request that is refused does not wait for its body', async ({ world }) => {
  await world.instance('A');
  const socket = connect(world.port, '127.0.0.1', () =>
    socket.write('POST /i/A/x HTTP/1.1\r\nHost: weir.example\r\nContent-Length: 1000000\r\n\r\nabc'),
  );
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 503 /);
  socket.destroy();
});

streams(
  'limits are those of the platform as it is now, and are named and counted where they are reached',
  async ({ world }) => {
    const waiting: (() => void)[] = [];
    await world.instance('A', (_request, response) => void waiting.push(() => response.end('done')));
    const limit = (gateway: { readonly perInstance: number; readonly perClient: number }) => {
      const before = singleton(world.store.read(), 'Platform');
      const after = { ...before, spec: { ...before.spec, gateway }, generation: before.generation + 1 };
      return world.store.commit(() => ({ changes: [updated(before, after)] }), { id: newId() });
    };
    const ask = () => world.get('/i/A/x');
    const counted = async (series: string) => {
      const headers = { accept: 'application/openmetrics-text' };
      const { text } = await world.get('/api/v1/admin/stats', { as: 'admin', headers });
      return text.split('\n').find((line) => line.startsWith(`${series} `));
    };
    const under = Array.from({ length: 4 }, ask);
    await until(() => waiting.length === 4);
    assert.is(await counted('weir_gateway_requests'), 'weir_gateway_requests 4');
    assert.match((await ask()).text, /spec\.gateway\.perInstance of Platform\/platform: 4\)/);
    await limit({ perInstance: 6, perClient: 5 });
    under.push(ask());
    await until(() => waiting.length === 5);
    assert.match(
      (await ask()).text,
      /spec\.gateway\.perClient of Platform\/platform: 5; behind a proxy set spec\.api\.trustProxy\)/,
    );
    await limit({ perInstance: 2, perClient: 5 });
    assert.match((await ask()).text, /perInstance of Platform\/platform: 2\)/);
    for (const limitName of ['instance', 'client'] as const) {
      const series = `weir_connections_refused_total{limit="${limitName}"}`;
      assert.is(await counted(series), `${series} ${limitName === 'instance' ? 2 : 1}`);
    }
    for (const end of waiting) end();
    for (const { status } of await Promise.all(under)) assert.is(status, 200, 'what is open stays open');
    assert.is(await counted('weir_gateway_requests'), 'weir_gateway_requests 0');
  },
);

streams.run();
