// A receiver as somebody else would write one: an HTTP server that checks each signature as the specification says, and answers as it is told to.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that was received. */
export interface Received {
  readonly id: string;
  readonly timestamp: number;
  /** By the name of the key that signed it. */
  readonly signedBy: readonly string[];
  readonly path: string;
  readonly type: string;
  readonly bytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
  readonly data: any;
}

/** What is answered: a status, with headers; or nothing at all. */
export type Answer = number | 'mute' | ((response: ServerResponse) => void);

export interface Listener {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** What is answered next, one after another, and then always 204. */
  answer(...answers: readonly Answer[]): void;
  always(answer: Answer): void;
  close(): Promise<void>;
}

/** The secret that tests sign with. */
export const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

/** Listens on a port of the loopback, a free one where none is given. */
export async function listener(
  port = 0,
  keys: Readonly<Record<string, string>> = { first: secret },
): Promise<Listener> {
  const received: Received[] = [];
  const answers: Answer[] = [];
  let usual: Answer = 204;
  const server = createServer(async (request, response) => {
    received.push(await read(request, keys));
    const answer = answers.shift() ?? usual;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else if (answer !== 'mute') answer(response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/hook?for=weir`,
    port: address.port,
    received,
    answer: (...more) => void answers.push(...more),
    always: (answer) => {
      usual = answer;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(request: IncomingMessage, keys: Readonly<Record<string, string>>): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts).toString('utf8');
  const header = (name: string) => String(request.headers[name]);
  const [id, timestamp] = [header('webhook-id'), Number(header('webhook-timestamp'))];
  if (request.method !== 'POST' || header('content-type') !== 'application/json') throw new Error('it is no message');
  if (Math.abs(Date.now() / 1000 - timestamp) > 300) throw new Error('it is too old');
  const { type, data } = JSON.parse(body);
  const signed = `${id}.${timestamp}.${body}`;
  const signedBy = Object.keys(keys).filter((name) =>
    header('webhook-signature')
      .split(' ')
      .some((one) => isBy(one, String(keys[name]), signed)),
  );
  return { id, timestamp, signedBy, path: String(request.url), type, data, bytes: Buffer.byteLength(body) };
}

function isBy(signature: string, key: string, signed: string): boolean {
  const [version, given = ''] = signature.split(',');
  const made = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'))
    .update(signed)
    .digest();
  const theirs = Buffer.from(given, 'base64');
  return version === 'v1' && theirs.length === made.length && timingSafeEqual(theirs, made);
}
