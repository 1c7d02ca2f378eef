// A directory made of a socket, that answers whatever a test likes.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export interface Fake {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** How many connections it has had, and how many are open. */
  readonly connections: () => { readonly all: number; readonly open: number };
  readonly stop: () => Promise<void>;
}

/** What a request is: its number, its operation (0x60 bind, 0x63 search, 0x77 extended, 0x42 unbind), and how many of it came so far on any connection. */
export interface Request {
  readonly id: number;
  readonly operation: number;
  readonly bytes: Buffer;
  readonly socket: Socket;
}

/** Listens on the loopback; errors of its connections are nobody's business. */
export async function listen(onConnection: (socket: Socket) => void): Promise<Fake> {
  const sockets = new Set<Socket>();
  let all = 0;
  const server: Server = createServer((socket) => {
    all += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    onConnection(socket);
    // One that is not read from never tells that it was closed.
    socket.resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { address: `127.0.0.1:${port}`, connections: () => ({ all, open: sockets.size }), stop };
}

/** Answers each request by what `answer` gives; nothing for no answer. */
export function fakeDirectory(answer: (request: Request) => Buffer | undefined): Promise<Fake> {
  return listen((socket) => {
    let held = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      held = Buffer.concat([held, chunk]);
      for (let bytes = whole(held); bytes; bytes = whole(held)) {
        held = held.subarray(bytes.length);
        const response = answer({ ...headOf(bytes), bytes, socket });
        if (response && !socket.destroyed) socket.write(response);
      }
    });
  });
}

/** The first request that is whole. */
function whole(bytes: Buffer): Buffer | undefined {
  const first = bytes[1];
  // What does not begin like a message is TLS, and nobody answers it.
  if (bytes[0] !== 0x30 || first === undefined) return undefined;
  const count = first < 0x80 ? 0 : first - 0x80;
  if (bytes.length < 2 + count) return undefined;
  const length = 2 + count + (count === 0 ? first : bytes.readUIntBE(2, count));
  return bytes.length < length ? undefined : bytes.subarray(0, length);
}

function headOf(bytes: Buffer): { readonly id: number; readonly operation: number } {
  const at = (bytes[1] ?? 0) < 0x80 ? 2 : 2 + (bytes[1] ?? 0) - 0x80;
  const length = bytes[at + 1] ?? 0;
  return { id: bytes.readIntBE(at + 2, length), operation: bytes[at + 2 + length] ?? 0 };
}

/** One part of a message, with its length in the shortest form. */
export function part(tag: number, ...content: readonly (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((one) => Buffer.from(one)));
  const header = bytes.length < 0x80 ? Buffer.from([tag, bytes.length]) : Buffer.from([tag, 0x84, 0, 0, 0, 0]);
  if (bytes.length >= 0x80) header.writeUInt32BE(bytes.length, 2);
  return Buffer.concat([header, bytes]);
}

export function message(id: number, ...content: readonly Buffer[]): Buffer {
  const number = Buffer.alloc(4);
  number.writeInt32BE(id);
  return part(0x30, part(0x02, id < 0x80 ? Buffer.from([id]) : number), ...content);
}

/** The end of an operation: 0x61 of a bind, 0x65 of a search, 0x78 of an extended request. */
export function result(id: number, operation: number, code = 0, text = '', ...controls: readonly Buffer[]): Buffer {
  const parts = [part(0x0a, Buffer.from([code])), part(0x04, ''), part(0x04, text)];
  return message(id, part(operation, ...parts), ...controls);
}

export function found(id: number, dn: string, attributes: Readonly<Record<string, string>>): Buffer {
  const each = Object.entries(attributes).map(([name, value]) =>
    part(0x30, part(0x04, name), part(0x31, part(0x04, value))),
  );
  return message(id, part(0x64, part(0x04, dn), part(0x30, ...each)));
}

/** The control that says where the next page begins. */
export function nextPage(cookie: string): Buffer {
  const value = part(0x30, part(0x02, Buffer.from([0])), part(0x04, cookie));
  return part(0xa0, part(0x30, part(0x04, '1.2.840.113556.1.4.319'), part(0x04, value)));
}

export const ann = { dn: 'uid=ann,dc=example,dc=com', mail: 'ann@example.com', uid: 'ann' };

/** What an honest directory that holds ann and nobody else answers; every password is right. */
export function honest({ id, operation }: Request): Buffer | undefined {
  if (operation === 0x60) return result(id, 0x61);
  if (operation === 0x63) return Buffer.concat([found(id, ann.dn, { mail: ann.mail, uid: ann.uid }), result(id, 0x65)]);
  return undefined;
}
