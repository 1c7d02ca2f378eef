// timeout: 400
// Requests that are long: bodies past what the instance takes, and installs and deploys that take minutes.
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
import { type ProxyWorld, startProxyWorld, treeOf } from './stand-in.ts';

const bodies = suite<{ world: ProxyWorld; whole: string[] }>('a body that is longer than the instance takes');

bodies.before.each(async (context) => {
  context.world = await startProxyWorld();
  context.whole = [];
  const listener: RequestListener = (request, response) => {
    let length = 0;
    request
      .on('error', () => {})
      .on('data', (part: Buffer) => {
        length += part.length;
      });
    request.once('end', () => {
      context.whole.push(`${request.url} ${length}`);
      response.end(String(length));
    });
  };
  await context.world.instance('Small', listener, { options: { apiMaxLength: '1kb' } });
  await context.world.instance('Usual', listener);
});
bodies.after.each(({ world }) => world.close());

/** Sends bytes, and answers the first line that comes back. */
async function firstLine({ port }: ProxyWorld, head: string, body: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  socket
    .on('error', () => {})
    .on('data', (part) => {
      said += part;
    });
  socket.write(`POST ${head}\r\nHost: weir.example\r\nContent-Type: text/plain\r\n`);
  socket.write(body);
  await until(() => said.includes('\r\n'));
  socket.destroy();
  return said.slice(0, said.indexOf('\r\n'));
}

const sized = (length: number, says = length) => `Content-Length: ${says}\r\n\r\n${'x'.repeat(length)}`;
const chunked = (length: number, end = '0\r\n\r\n') =>
  `Transfer-Encoding: chunked\r\n\r\n${`64\r\n${'x'.repeat(100)}\r\n`.repeat(length / 100)}${end}`;

bodies('is 413 before the runtime has it, however its length is told', async ({ world, whole }) => {
  const tooLong = 'HTTP/1.1 413 Payload Too Large';
  assert.is(await firstLine(world, '/i/Small/x HTTP/1.1', sized(1024)), 'HTTP/1.1 200 OK');
  assert.is(await firstLine(world, '/i/Small/x HTTP/1.1', sized(1025)), tooLong);
  assert.is(await firstLine(world, '/i/Small/x HTTP/1.1', chunked(1000)), 'HTTP/1.1 200 OK');
  assert.is(await firstLine(world, '/i/Small/x HTTP/1.1', chunked(1100)), tooLong);
  assert.is(await firstLine(world, '/i/Small/x HTTP/1.1', chunked(1100, '')), tooLong, 'that does not end');
  assert.is(await firstLine(world, '/i/Small/x HTTP/1.1', sized(10, 5000)), tooLong, 'that only says so');
  assert.is(await firstLine(world, '/i/Small/flows HTTP/1.1', sized(2000)), tooLong, 'of the editor');
  assert.equal(whole, ['/i/Small/x 1024', '/i/Small/x 1000']);
});

bodies('is what the runtime takes by itself where nobody says otherwise', async ({ world }) => {
  const text = async (length: number) =>
    (await world.get('/i/Usual/x', { method: 'POST', body: 'x'.repeat(length) })).text;
  assert.is(await text(5 * 1024 * 1024), String(5 * 1024 * 1024));
  assert.match(await text(5 * 1024 * 1024 + 1), /payload_too_large.*apiMaxLength/);
});

bodies.run();

const slow = suite('a request that takes its time');

slow('is waited for where somebody installs or deploys who may, and nowhere else', async () => {
  const wayIn = { headMs: 500, installMs: 60_000, deployMs: 60_000 };
  const world = await startProxyWorld(treeOf(['teamEndpointSecurity']), { wayIn });
  // Of the connection to the client: it says nothing meanwhile.
  world.app.server.timeout = 1200;
  const runtime = createServer((_request, response) => void setTimeout(() => response.end('done'), 4000));
  await world.instance('A', runtime);
  const ask = async (method: string, path: string, as: 'member' | 'viewer') =>
    `${method} ${path} ${as} ${(await world.get(`/i/A${path}`, { method, as, ...(method.startsWith('P') ? { body: '{}' } : {}) })).status}`;
  assert.equal(
    await Promise.all([
      ask('POST', '/nodes', 'member'),
      ask('PUT', '/nodes/node-red-contrib-x', 'member'),
      ask('DELETE', '/nodes/node-red-contrib-x?x=1', 'member'),
      ask('POST', '/flows', 'member'),
      ask('PUT', '/flow/1', 'member'),
      ask('POST', '/nodes', 'viewer'),
      ask('GET', '/nodes', 'member'),
      ask('POST', '/nodesX', 'member'),
      ask('POST', '/endpoint', 'member'),
    ]),
    [
      'POST /nodes member 200',
      'PUT /nodes/node-red-contrib-x member 200',
      'DELETE /nodes/node-red-contrib-x?x=1 member 200',
      'POST /flows member 200',
      'PUT /flow/1 member 200',
      'POST /nodes viewer 504',
      'GET /nodes member 504',
      'POST /nodesX member 504',
      'POST /endpoint member 504',
    ],
  );
  await world.close();
});

slow.run();
