// The lock: one process a folder, by a unix socket that dies with its process, so that nothing stale has to be trusted.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, openSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, wordsOf } from './file-system.ts';
import { describe, type Holder, lockedBy, readHolder } from './holder.ts';
import { StoreUnavailable } from './store.ts';
import { lockByPipe } from './windows-lock.ts';

/** Takes a folder for this process; answers what lets it go again. Rejects with `StoreUnavailable`. */
export type Lock = (folder: string) => Promise<() => Promise<void>>;

/**
 * Each process listens on a socket of its own name in the folder, then looks at all the others. It holds the folder once it has
 * seen no other alive: of two, the one that listened later sees the earlier. Two that start at once are told apart by name: the
 * later name gives way. A dead socket refuses connections for ever, so removing it harms nobody.
 * Containers that share a volume on one machine see each other. Machines that share one over a network do not, because a socket
 * lives on one kernel only: a store belongs on a local disk.
 */
export const lockFolder: Lock = async (folder) => {
  if (process.platform === 'win32') return lockByPipe(folder);
  const base = openBase(realpathSync(folder));
  try {
    return await compete(folder, base);
  } catch (error) {
    base.close();
    throw error;
  }
};

/** A path to the folder that is short enough for a socket's name (107 bytes, on macOS 103). */
interface Base {
  readonly path: string;
  close(): void;
}

interface Candidate {
  readonly name: string;
  readonly server: Server;
  /** Who is being answered: closing waits for nobody who does not listen. */
  readonly callers: Set<Socket>;
  state: Holder['state'];
}

const socketPattern = /^lock-(\d+)-[0-9a-f]{8}\.sock$/;
const patienceMs = 5000;

function openBase(folder: string): Base {
  if (Buffer.byteLength(join(folder, 'lock-4194304-00000000.sock')) <= 100) return { path: folder, close: () => {} };
  if (existsSync('/proc/self/fd')) {
    const descriptor = openSync(folder, constants.O_RDONLY);
    return { path: `/proc/self/fd/${descriptor}`, close: () => closeSync(descriptor) };
  }
  const link = join(tmpdir(), `weir-${randomBytes(4).toString('hex')}`);
  symlinkSync(folder, link);
  return { path: link, close: () => rmSync(link, { force: true }) };
}

async function compete(folder: string, base: Base): Promise<() => Promise<void>> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const own = await listen(folder, base);
    const outcome = await contend(base, own, deadline);
    if (outcome === 'holds') return () => release(base, own);
    await stop(own);
    if (outcome !== 'gave way') throw lockedBy(folder, outcome);
    await sleep(5 + Math.random() * 20);
  }
}

/** Looks at the others until this one holds the folder, gives way to an earlier name, or finds who holds it. */
async function contend(base: Base, own: Candidate, deadline: number): Promise<'holds' | 'gave way' | Holder> {
  for (;;) {
    const others = readdirSync(base.path).filter((name) => socketPattern.test(name) && name !== own.name);
    const found = await Promise.all(others.map(async (name) => ({ name, holder: await ask(base, name) })));
    const alive = found.flatMap(({ name, holder }) => (holder ? [{ name, holder }] : []));
    const holding = alive.find(({ holder }) => holder.state === 'holding' || Date.now() > deadline);
    if (holding) return holding.holder;
    if (alive.some(({ name, holder }) => holder.state === 'starting' && name < own.name)) return 'gave way';
    if (alive.length === 0) return hold(base, own, others);
    await sleep(10);
  }
}

async function hold(base: Base, own: Candidate, dead: readonly string[]): Promise<'holds' | 'gave way'> {
  // A holder that is gone by now may have taken this socket for a dead one while it was being made.
  if (!readdirSync(base.path).includes(own.name)) return 'gave way';
  own.state = 'holding';
  // A lock keeps nobody running.
  own.server.unref();
  for (const name of dead) await unlink(join(base.path, name)).catch(() => {});
  return 'holds';
}

function listen(folder: string, base: Base): Promise<Candidate> {
  const name = `lock-${process.pid}-${randomBytes(4).toString('hex')}.sock`;
  const { promise, resolve, reject } = Promise.withResolvers<Candidate>();
  const callers = new Set<Socket>();
  const server = createServer((socket) => {
    callers.add(socket);
    socket.once('close', () => callers.delete(socket)).on('error', () => {});
    socket.end(JSON.stringify(describe(own.state))).unref();
  });
  const own: Candidate = { name, server, callers, state: 'starting' };
  server.once('error', (error) => reject(cannotLock(folder, error)));
  server.listen(join(base.path, name), () => resolve(own));
  return promise;
}

function cannotLock(folder: string, error: unknown): StoreUnavailable {
  const advice = 'a store needs a local file system that can be written and that holds unix sockets';
  return new StoreUnavailable('unreadable', `the store ${folder} cannot be locked (${wordsOf(error)}): ${advice}`, {
    cause: error,
  });
}

/**
 * Who listens on a socket; nobody when it is dead. Who listens and does not answer is taken for one that holds; who hangs up instead of
 * answering is leaving, and worth another look.
 */
function ask(base: Base, name: string): Promise<Holder | undefined> {
  const { promise, resolve } = Promise.withResolvers<Holder | undefined>();
  const pid = Number(socketPattern.exec(name)?.[1]);
  let text = '';
  let state: Holder['state'] = 'leaving';
  const socket = connect(join(base.path, name));
  socket.setTimeout(2000, () => {
    state = 'holding';
    socket.destroy();
  });
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  socket.once('error', (error) => {
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(codeOf(error) ?? '')) resolve(undefined);
  });
  socket.once('close', () => resolve(readHolder(text) ?? { pid, started: '', command: '', state }));
  return promise;
}

async function release(base: Base, own: Candidate): Promise<void> {
  // Closing the server also removes its socket, by the path that `base` keeps valid.
  await stop(own);
  base.close();
}

function stop({ server, callers }: Candidate): Promise<void> {
  return new Promise((resolve) => {
    // Otherwise a process with nothing else to do would end before this has.
    server.ref().close(() => resolve());
    for (const caller of callers) caller.destroy();
  });
}
