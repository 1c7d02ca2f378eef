// Sends the body of a request to a runtime, no faster than it is taken.
import type { Socket } from 'node:net';
import type { OrderBody } from './order.ts';

/** Told how it goes. */
export interface SendingBody {
  /** Some of it is on its way. */
  readonly moved: () => void;
  readonly sent: () => void;
  readonly tooLarge: () => void;
}

/** Begins. Answers the function that ends it; what still comes from the client is then not looked at, so that its connection lives on for the answer. */
export function sendBody(
  { from, isChunked, mostBytes }: OrderBody,
  socket: Socket,
  { moved, sent, tooLarge }: SendingBody,
): () => void {
  let count = 0;
  const write = (chunk: Buffer): boolean => {
    if (!isChunked) return socket.write(chunk);
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    socket.write(chunk);
    const isRoom = socket.write('\r\n', 'latin1');
    socket.uncork();
    return isRoom;
  };
  const pass = (chunk: Buffer) => {
    count += chunk.length;
    if (count > mostBytes) return tooLarge();
    moved();
    if (chunk.length > 0 && !write(chunk)) from.pause();
  };
  const goOn = () => {
    moved();
    from.resume();
  };
  const end = () => {
    if (isChunked) socket.write('0\r\n\r\n', 'latin1');
    sent();
  };
  from.on('data', pass).once('end', end);
  socket.on('drain', goOn);
  // Whoever was held up before there was a connection.
  from.resume();
  return () => {
    socket.off('drain', goOn);
    from.off('data', pass).off('end', end).resume();
  };
}
