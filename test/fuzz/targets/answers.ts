// Bytes from a runtime: the same answer however they are cut, what is none is refused, and what is one Node's own reader takes for the same.
import { type IncomingMessage, request } from 'node:http';
import { Duplex } from 'node:stream';
import { createAnswerReader, type Verdict } from '../../../src/http/proxy/upstream/answer-reader.ts';
import { holds, type Target } from '../target.ts';

const mostHead = 16_384;

export const answers: Target = {
  words: [
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 200 OK\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
    'Content-Length: 5\r\n',
    'Content-Length: 5, 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
    'Connection: close\r\n',
    'Keep-Alive: timeout=5\r\n',
    '\r\n\r\n',
    '\r\n ',
    ' :',
    '0\r\n\r\n',
    '5\r\nhello\r\n',
    '5;a="b"\r\nhello\r\n',
    'FFFFFFFFFF\r\n',
    '\n',
    '\r',
  ],
  seeds: () => [
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n5;x=1\r\nhello\r\nA\r\n0123456789\r\n0\r\nA: b\r\nC: d\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nX: \xe9 \t\r\n\r\n',
    'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 9\r\nKeep-Alive: timeout=5\r\n\r\n',
    'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200\r\n\r\nuntil the end',
    `HTTP/1.1 200 OK\r\n${'X-Long: 0123456789\r\n'.repeat(700)}\r\n`,
  ],
  mostMs: 1000,
  check: async (input) => {
    const whole = read(input, () => input.length);
    for (const size of [1, 2, 7, 61])
      same(
        whole,
        read(input, () => size),
        size,
      );
    let seed = input.length;
    const random = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return 1 + ((seed >>> 8) % 40);
    };
    same(whole, read(input, random), 0);
    if (whole.outcome === 'over') await agrees(whole, input);
    return `${whole.outcome} ${whole.status} ${Math.min(whole.body.length, 20)} ${whole.raw.length / 2} ${whole.trailers.length}`;
  },
};

interface Read {
  readonly outcome: string;
  readonly status: number;
  readonly raw: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
}

/** What is read where `size` says how many bytes come at once, and the connection ends behind them. */
function read(input: Buffer, size: () => number): Read {
  let [status, body, isOver]: [number, string, boolean] = [0, '', false];
  let [raw, trailers]: [readonly string[], readonly string[]] = [[], []];
  const reader = createAnswerReader(mostHead, {
    head: (head) => {
      holds(status === 0 && head.status >= 200, 'there is one head');
      ({ status, raw } = head);
      return true;
    },
    piece: (bytes, isLast, behind) => {
      holds(status > 0 && !isOver, 'pieces stand between a head and the last piece');
      body += bytes.toString('latin1');
      [isOver, trailers] = [isLast, behind];
    },
  });
  reader.begin('GET');
  let verdict: Verdict = 'more';
  let at = 0;
  while (at < input.length && verdict === 'more') {
    const next = Math.min(input.length, at + Math.max(1, size()));
    // The reader may change what it is given.
    verdict = reader.take(Buffer.from(input.subarray(at, next)));
    at = next;
  }
  holds((verdict === 'over' || verdict === 'surplus') === isOver, 'it is over with its last piece');
  if (verdict === 'more') verdict = reader.ended();
  // What stands behind an answer is a surplus, also where it came later.
  const outcome = verdict === 'surplus' ? 'over' : verdict;
  return { outcome, status, raw, body, trailers };
}

function same(whole: Read, cut: Read, size: number): void {
  const [one, other] = [whole, cut].map(({ body, trailers, ...rest }) =>
    // How much was passed on before the bad part was met depends on the cuts.
    JSON.stringify(rest.outcome === 'over' ? { ...rest, body, trailers } : rest),
  );
  holds(one === other, `in pieces of ${size} it is ${other?.slice(0, 200)} instead of ${one?.slice(0, 200)}`);
}

/** Node reads the same, where it reads it at all. */
async function agrees(ours: Read, input: Buffer): Promise<void> {
  const theirs = await byNode(input);
  if (theirs === undefined) return;
  for (const part of ['status', 'raw', 'body', 'trailers'] as const)
    holds(
      JSON.stringify(ours[part]) === JSON.stringify(theirs[part]),
      `${part}: ${JSON.stringify(ours[part]).slice(0, 200)} here, ${JSON.stringify(theirs[part]).slice(0, 200)} for Node`,
    );
}

/** What Node's client makes of it; nothing where it refuses it, or waits for more. */
function byNode(input: Buffer): Promise<Read | undefined> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    const asked = request({ createConnection: () => socket, agent: false });
    const take = (answer: IncomingMessage) => {
      let body = '';
      answer.on('data', (part: Buffer) => {
        body += part.toString('latin1');
      });
      answer.once('error', () => resolve(undefined));
      answer.once('end', () => {
        const { statusCode = 0, rawHeaders, rawTrailers } = answer;
        resolve({ outcome: 'over', status: statusCode, raw: rawHeaders, body, trailers: rawTrailers });
      });
    };
    asked.once('response', take);
    asked.on('error', () => resolve(undefined)).once('close', () => resolve(undefined));
    asked.once('socket', () => {
      socket.push(input);
      socket.push(null);
    });
    asked.end();
  });
}
