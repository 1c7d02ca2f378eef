// The TCP connection to a mail server, by the names that this system knows, and whether it leaves this machine.
import { BlockList, connect, isIPv6, type Socket } from 'node:net';

/** An open connection. `loopback`: both ends are on this machine, so nobody else can listen. */
export interface Connection {
  readonly socket: Socket;
  readonly loopback: boolean;
}

/** Opens a connection to a mail server; given up when the signal says so. Rejects with the system's error. */
export type Connect = (host: string, port: number, signal: AbortSignal) => Promise<Connection>;

/** Connects by the system's resolver (so by /etc/hosts too), trying each address of the name. */
export const connectTcp: Connect = (host, port, signal) =>
  new Promise((done, fail) => {
    const socket = connect({ host, port });
    const stop = () => socket.destroy(Object.assign(new Error('given up'), { code: 'ETIMEDOUT' }));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    // Stays: an error before the next reader of the socket listens must not end the process.
    socket.on('error', (error) => {
      signal.removeEventListener('abort', stop);
      fail(error);
    });
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      done({ socket, loopback: isLoopback(socket.remoteAddress ?? '') });
    });
  });

function isLoopback(address: string): boolean {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addAddress('::1', 'ipv6');
  return own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
