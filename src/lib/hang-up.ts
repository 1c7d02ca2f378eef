// Ends a connection with last words, whatever the other side does about it.
import type { Duplex } from 'node:stream';

/** How long the other side may take to hear the last words and to end as well, in milliseconds. */
const graceMs = 1000;

/**
 * Writes the last words, ends the connection, and cuts it a second later: the other side may keep its own half open for ever, and a connection that
 * is no longer one of HTTP has no time-out.
 */
export function hangUp(socket: Duplex, words: string | Buffer = ''): void {
  if (socket.destroyed) return;
  const cut = setTimeout(() => socket.destroy(), graceMs);
  socket.once('close', () => clearTimeout(cut)).on('error', () => socket.destroy());
  socket.end(words);
  // What still comes is thrown away: bytes that nobody read would make a reset of the end, and the last words would be lost with it.
  socket.resume();
}
