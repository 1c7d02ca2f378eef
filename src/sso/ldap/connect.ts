// The connection to a directory: TCP, and TLS as the configuration wants it. Nothing is sent before TLS stands, and there is no way back from it.
import { connect as connectPlain, isIP, type Socket as Plain } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { tags } from './ber.ts';
import type { Directory } from './directory.ts';
import { type FrameLimits, type FrameReader, frameReader } from './frames.ts';
import { Trouble, troubleOf } from './trouble.ts';

export type Socket = Plain | TLSSocket;

/** The bounds of one visit. */
export interface Limits extends FrameLimits {
  /** The longest wait for one step or answer, in milliseconds. */
  readonly operationMs: number;
  /** The longest time for everything together, in milliseconds. */
  readonly loginMs: number;
}

export interface Route {
  readonly directory: Directory;
  readonly limits: Limits;
  /** Ends the connection, wherever it stands. */
  readonly signal: AbortSignal;
  /** What certificates are trusted. */
  readonly trust: (ca: string | undefined) => SecureContext;
}

/** Opens a connection and begins TLS. Throws trouble. The socket has a listener for errors for good: none is ever unhandled. */
export async function connect(route: Route): Promise<Socket> {
  const { mode, verifyServerCertificate } = route.directory.tls;
  const socket = await connectTcp(route);
  if (mode === 'none') return socket;
  if (mode === 'startTls') await startTls(socket, route);
  try {
    return await beginTls(socket, route, verifyServerCertificate);
  } catch (error) {
    const trouble = troubleOf(error);
    const detail = mode === 'ldaps' ? ofPlainPorts[trouble.code] : undefined;
    throw detail === undefined ? trouble : new Trouble('plain', { detail: `${detail} (${trouble.code})` });
  }
}

/** What comes of the first bytes of TLS where LDAP was expected: the directory hangs up, or answers with a message of its own. */
const ofPlainPorts: Readonly<Record<string, string>> = {
  closed: 'closed the connection while TLS began',
  ECONNRESET: 'cut the connection while TLS began',
  EPIPE: 'cut the connection while TLS began',
  ERR_SSL_WRONG_VERSION_NUMBER: 'answered the beginning of TLS with something else',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'answered the beginning of TLS with something else',
};

function connectTcp({ directory: { host, port }, limits, signal }: Route): Promise<Plain> {
  const socket = connectPlain({ host, port, noDelay: true });
  return step<Plain>(socket, { ms: limits.operationMs, signal }, (done) => {
    socket.once('connect', () => done(socket));
  });
}

/**
 * Asks for TLS (RFC 4511, 4.14). One answer, and not a byte more, may come before TLS: what somebody in between has put there would else be read as
 * if it had been protected.
 */
async function startTls(socket: Plain, { limits, signal }: Route): Promise<void> {
  const reader = frameReader(limits);
  let listener = (_chunk: Buffer) => {};
  try {
    await step<void>(socket, { ms: limits.operationMs, signal }, (done, fail) => {
      listener = (chunk) => {
        try {
          if (mayBegin(reader, chunk)) done();
        } catch (error) {
          fail(troubleOf(error));
        }
      };
      socket.on('data', listener);
      socket.write(startTlsRequest);
    });
  } finally {
    socket.removeListener('data', listener);
    socket.pause();
  }
}

/** Whether the answer is there, and it is the one that lets TLS begin. */
function mayBegin(reader: FrameReader, chunk: Buffer): boolean {
  const [answer, ...more] = reader.take(chunk);
  if (!answer) return false;
  if (more.length > 0 || reader.held() > 0) throw new Trouble('injected');
  if (answer.messageId !== 1 || answer.operation !== tags.extendedResponse) throw new Trouble('malformed');
  if (answer.result !== 0) throw new Trouble('result', { result: answer.result });
  return true;
}

/** Message 1: an extended request with the name 1.3.6.1.4.1.1466.20037. */
const startTlsRequest = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);

/** TLS over an open connection. With `verify` false any certificate is taken, and the socket's `authorizationError` says what is wrong with it. */
export function beginTls(
  socket: Plain,
  { directory, limits, signal, trust }: Route,
  verify: boolean,
): Promise<TLSSocket> {
  const { host, tls } = directory;
  // A name goes into the greeting; an address may not (RFC 6066, 3), and is still compared with the certificate.
  const names = isIP(host) ? { host } : { host, servername: host };
  let secure: TLSSocket;
  try {
    secure = connectTls({ socket, ...names, secureContext: trust(tls.ca), rejectUnauthorized: verify });
  } catch (error) {
    socket.destroy();
    return Promise.reject(troubleOf(error));
  }
  return step<TLSSocket>(secure, { ms: limits.operationMs, signal }, (done) => {
    secure.once('secureConnect', () => done(secure));
  }).catch((error) => {
    socket.destroy();
    throw error;
  });
}

interface Wait {
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Waits for one step; an error, the end of the connection, the time and the signal end it, and the socket with it. */
function step<T>(
  socket: Socket,
  { ms, signal }: Wait,
  begin: (done: (value: T) => void, fail: (trouble: Trouble) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const settle = (conclude: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', overdue);
      socket.removeListener('close', closed);
      socket.removeListener('end', closed);
      conclude();
    };
    const fail = (trouble: Trouble) =>
      settle(() => {
        socket.destroy();
        reject(trouble);
      });
    const overdue = () => fail(new Trouble('overdue'));
    const closed = () => fail(new Trouble('closed'));
    const timer = setTimeout(() => fail(new Trouble('slow')), ms);
    signal.addEventListener('abort', overdue, { once: true });
    // Stays when the step is over: an error that nobody waits for must not end the process.
    socket.on('error', (error) => fail(troubleOf(error)));
    socket.once('close', closed);
    socket.once('end', closed);
    if (signal.aborted) overdue();
    else begin((value) => settle(() => resolve(value)), fail);
  });
}
