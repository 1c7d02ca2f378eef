// The lock on Windows: a named pipe, which one process can own, and which dies with it.
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { codeOf } from './file-system.ts';
import { describe, type Holder, lockedBy, readHolder } from './holder.ts';
import { StoreUnavailable } from './store.ts';

/** Takes a folder for this process, by a pipe that is named after it. */
export async function lockByPipe(folder: string): Promise<() => Promise<void>> {
  const digest = createHash('sha256').update(realpathSync.native(folder).toLowerCase()).digest('hex');
  const path = `\\\\.\\pipe\\weir-${digest}`;
  const { promise, resolve, reject } = Promise.withResolvers<() => Promise<void>>();
  const server = createServer((socket) => socket.on('error', () => {}).end(JSON.stringify(describe('holding'))));
  const release = () => new Promise<void>((done) => server.ref().close(() => done()));
  server.once('error', (error) => {
    if (codeOf(error) === 'EADDRINUSE') void whoHolds(path).then((holder) => reject(lockedBy(folder, holder)));
    else reject(new StoreUnavailable('unreadable', `the store ${folder} cannot be locked: ${error.message}`));
  });
  server.listen(path, () => {
    server.unref();
    resolve(release);
  });
  return promise;
}

function whoHolds(path: string): Promise<Holder> {
  const { promise, resolve } = Promise.withResolvers<Holder>();
  const silent: Holder = { pid: 0, started: '', command: '', state: 'holding' };
  let text = '';
  const socket = connect(path)
    .setEncoding('utf8')
    .setTimeout(2000, () => socket.destroy());
  socket.on('data', (more: string) => {
    text += more;
  });
  socket.on('error', () => {});
  socket.once('close', () => resolve(readHolder(text) ?? silent));
  return promise;
}
