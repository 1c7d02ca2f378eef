// timeout: 900
// Answers of runtimes, good and bad, through our own reader and through undici: a client sees the same, or is refused more strictly where that was chosen.
import { once } from 'node:events';
import { get, type Server } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomFrom } from '../../fuzz/mutate.ts';
import { gatewayOfOurs } from './by-ours.ts';
import { gatewayByUndici } from './by-undici.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** What a runtime says, and then ends the connection. */
const alike: Readonly<Record<string, string>> = {
  'of a length': `${ok}Content-Length: 5\r\nX-A: b\r\n\r\nhello`,
  'of no length at all': `${ok}Content-Length: 0\r\n\r\n`,
  'of a large length': `${ok}Content-Length: 300000\r\n\r\n${'0123456789'.repeat(30_000)}`,
  'until the end': `${ok}X-A: b\r\n\r\nhello`,
  'of HTTP/1.0': 'HTTP/1.0 200 OK\r\n\r\nhello',
  'of HTTP/1.0 with a length': 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello',
  'in chunks': `${chunked}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n`,
  'in chunks of any case': `${ok}transfer-ENCODING: Chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n`,
  'in chunks with extensions': `${chunked}5;a=b;c="d"\r\nhello\r\n0;x\r\n\r\n`,
  'in large chunks': `${chunked}${`10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(8)}0\r\n\r\n`,
  'in tiny chunks': `${chunked}${'1\r\nx\r\n'.repeat(500)}0\r\n\r\n`,
  'in no chunks': `${chunked}0\r\n\r\n`,
  'with a trailer': `${chunked}5\r\nhello\r\n0\r\n\r\n`,
  'without a body': 'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n',
  'that nothing changed': 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 9\r\n\r\n',
  'after an interim one': `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 2\r\n\r\nok`,
  'without a reason': 'HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno',
  'with an odd status': 'HTTP/1.1 299 Odd Thing\r\nContent-Length: 2\r\n\r\nok',
  'with blanks around values': `${ok}Content-Length:  5 \r\nX-A:b\r\nX-B:\r\n\r\nhello`,
  'with latin letters': `${ok}X-A: \xe9\xff\r\nContent-Length: 1\r\n\r\n\xff`,
  'with headers again': `${ok}Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n`,
  'with something behind it': `${ok}Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n`,
  'with two lengths': `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
  'with a list of lengths': `${ok}Content-Length: 5, 6\r\n\r\nhello`,
  'with a signed length': `${ok}Content-Length: +5\r\n\r\nhello`,
  'with a negative length': `${ok}Content-Length: -5\r\n\r\nhello`,
  'with a length and chunks': `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'with a space before the colon': `${ok}Content-Length : 5\r\n\r\nhello`,
  'with a NUL': `${ok}X-A: a\0b\r\nContent-Length: 5\r\n\r\nhello`,
  'with a bare carriage return': `${ok}X-A: a\rb\r\nContent-Length: 5\r\n\r\nhello`,
  'with a nameless header': `${ok}: a\r\nContent-Length: 5\r\n\r\nhello`,
  'with a line that is no header': `${ok}hello\r\nContent-Length: 5\r\n\r\nhello`,
  'with chunks of no size': `${chunked}\r\nhello\r\n0\r\n\r\n`,
  'with chunks of a signed size': `${chunked}+5\r\nhello\r\n0\r\n\r\n`,
  'with chunks that are longer': `${chunked}5\r\nhello!!\r\n0\r\n\r\n`,
  'with a chunk of a huge size': `${chunked}FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n`,
  'that is shorter than its length': `${ok}Content-Length: 10\r\n\r\nhello`,
  'with chunks that break off': `${chunked}5\r\nhel`,
  'with chunks that do not end': `${chunked}5\r\nhello\r\n`,
  'that breaks off within the head': `${ok}Content-`,
  'that is no HTTP': 'hello\r\n\r\n',
  'of HTTP/3': 'HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n',
  'with no status': 'HTTP/1.1 OK\r\n\r\n',
  'of another protocol': 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  'of nothing': '',
  'with a head past all bounds': `${ok}X-A: ${'x'.repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`,
};

/** What undici passes on, and the next reader might take for something else. */
const stricter: Readonly<Record<string, string>> = {
  'the same length twice': `${ok}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
  'a coding that nobody undoes': `${ok}Transfer-Encoding: gzip\r\n\r\nhello`,
  'a coding below chunks': `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunks in HTTP/1.0': `HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a folded header': `${ok}X-A: a\r\n b\r\nContent-Length: 5\r\n\r\nhello`,
  'bare line feeds': 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello',
  'an empty line before the status': `\r\n${ok}Content-Length: 5\r\n\r\nhello`,
  'extensions without end': `${chunked}5;${'x'.repeat(5000)}\r\nhello\r\n0\r\n\r\n`,
};

/** What is HTTP, and undici refuses. */
const broader: Readonly<Record<string, string>> = {
  'a 100 that nobody waited for': `HTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 5\r\n\r\nhello`,
  'tabs around a length': `${ok}Content-Length: \t5 \t\r\n\r\nhello`,
};

interface Seen {
  readonly status: number | 'cut';
  readonly headers?: readonly string[];
  readonly body?: string;
}

const random = randomFrom(7);
let said = '';
let isCut = false;
/** Says it in one piece, or in random ones; the kernel may join some of them, so each waits for the one before. */
const speak = async (socket: Socket) => {
  const bytes = Buffer.from(said, 'latin1');
  const most = Math.max(40, bytes.length / 12);
  for (let at = 0; at < bytes.length; ) {
    const next = isCut ? Math.min(bytes.length, at + 1 + random(most)) : bytes.length;
    socket.write(bytes.subarray(at, next));
    at = next;
    if (isCut) await new Promise((done) => setImmediate(done));
  }
  socket.end();
};
const runtime = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.once('data', () => void speak(socket));
}).listen(0, '127.0.0.1');
await once(runtime, 'listening');
const origin = `http://127.0.0.1:${(runtime.address() as AddressInfo).port}`;
const [ours, theirs] = [gatewayOfOurs(origin), gatewayByUndici(origin)];
for (const { server } of [ours, theirs]) await once(server.listen(0, '127.0.0.1'), 'listening');

const differential = suite('an answer, beside undici');
differential.after(async () => {
  for (const { server, close } of [ours, theirs]) {
    await close();
    server.closeAllConnections();
    server.close();
  }
  runtime.close();
});

for (const [what, text] of Object.entries(alike))
  differential(`${what} is the same to clients`, async () => {
    for (const method of ['GET', 'HEAD'])
      for (const round of [0, 1, 2]) {
        [said, isCut] = [text, round > 0];
        const [one, other] = [await seen(ours.server, method), await seen(theirs.server, method)];
        assert.equal(one, other, `${method}, round ${round}`);
      }
  });

for (const [what, text] of Object.entries(stricter))
  differential(`${what} is refused, or cut off`, async () => {
    for (const round of [0, 1, 2]) {
      [said, isCut] = [text, round > 0];
      const { status } = await seen(ours.server, 'GET');
      assert.ok(status === 502 || status === 'cut', String(status));
    }
  });

for (const [what, text] of Object.entries(broader))
  differential(`${what} is passed on`, async () => {
    for (const round of [0, 1, 2]) {
      [said, isCut] = [text, round > 0];
      const { status, body } = await seen(ours.server, 'GET');
      assert.equal([status, body], [200, 'hello']);
    }
  });

differential.run();

/** What a client gets, but for what says when and on which connection. */
function seen(server: Server, method: string): Promise<Seen> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const asked = get({ port, host: '127.0.0.1', method, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('latin1').on('data', (part: string) => {
        body += part;
      });
      answer.once('error', () => resolve({ status: 'cut' }));
      answer.once('end', () => {
        const { statusCode: status = 0, rawHeaders } = answer;
        const headers = rawHeaders.filter(
          (_text, at) => !/^(?:date|keep-alive)$/i.test(rawHeaders[at - (at % 2)] ?? ''),
        );
        resolve({ status, headers, body });
      });
    });
    asked.once('error', () => resolve({ status: 'cut' }));
  });
}
