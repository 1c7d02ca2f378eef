// The lock: one process a folder, by a unix socket that dies with its process, so that nothing stale has to be trusted.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
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
export type Lock = (folder: string, log?: (message: string) => void) => Promise<() => Promise<void>>;

/**
 * Each process listens on a socket of its own name in the folder, then looks at all the others. It holds the folder once it has, in one look
 * that it began as `starting`, seen nobody that holds or is starting: of two, the one that began later sees the earlier. Where several are
 * starting the first by name goes on, and the others wait, and begin a new look when nobody is starting any more. So each order of events
 * ends with one that holds. A dead socket refuses connections for ever, so removing it harms nobody.
 * Containers that share a volume on one machine see each other. Machines that share one over a network do not, because a socket
 * lives on one kernel only: a store belongs on a local disk.
 */
export const lockFolder: Lock = async (folder, log = () => {}) => {
  if (process.platform === 'win32') return lockByPipe(folder);
  const base = openBase(realpathSync(folder));
  try {
    return await compete(folder, base, log);
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

/** Far longer than any number of contenders takes to agree. */
const patienceMs = 60_000;

const answerMs = 2000;

/** A process that had no turn on its machine for long meets its own timeout before the answer that has come meanwhile: once says nothing. */
const silentLooks = 3;

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

async function compete(folder: string, base: Base, log: (message: string) => void): Promise<() => Promise<void>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const own = await listen(folder, base);
    const outcome = await contend(base, own, deadline);
    if (outcome === 'holds') return keepHolding(folder, base, own, log);
    await stop(own);
    if (outcome !== 'vanished') throw lockedBy(folder, outcome);
  }
}

/** Looks at the others until this one holds the folder, or finds who does; or that its own socket is gone. */
async function contend(base: Base, own: Candidate, deadline: number): Promise<'holds' | 'vanished' | Holder> {
  const silences = new Map<string, number>();
  for (let pause = 5; ; ) {
    const { taken, inTheWay, dead } = await look(base, own, silences);
    if (taken) return taken;
    if (!inTheWay && own.state === 'starting') return hold(base, own, dead);
    if (!inTheWay) own.state = 'starting';
    else if (performance.now() > deadline) return inTheWay.holder;
    else {
      if (inTheWay.holder.state === 'starting' && inTheWay.name < own.name) own.state = 'waiting';
      await sleep(pause);
      pause = Math.min(50, pause * 1.5);
    }
  }
}

interface Seen {
  /** Who holds. */
  readonly taken?: Holder;
  /** Somebody who does not, and may come to. */
  readonly inTheWay?: { readonly name: string; readonly holder: Holder };
  readonly dead: readonly string[];
}

/** Asks the others in the order of their names, as far as it takes: of many that start at once all but the first ask only that one. */
async function look(base: Base, own: Candidate, silences: Map<string, number>): Promise<Seen> {
  const names = readdirSync(base.path).filter((name) => socketPattern.test(name) && name !== own.name);
  const dead: string[] = [];
  let inTheWay: Seen['inTheWay'];
  for (const name of names.sort()) {
    const holder = await ask(base, name);
    if (!holder) dead.push(name);
    else if (holds(name, holder, silences)) return { taken: holder, dead };
    else if (holder.state !== 'waiting') inTheWay ??= { name, holder };
    if (inTheWay?.holder.state === 'starting') break;
  }
  return { dead, ...(inTheWay && { inTheWay }) };
}

/** Whether another one holds; who listens and never answers is taken for one that does. */
function holds(name: string, { state }: Holder, silences: Map<string, number>): boolean {
  const silent = state === 'silent' ? (silences.get(name) ?? 0) + 1 : 0;
  silences.set(name, silent);
  return state === 'holding' || silent >= silentLooks;
}

async function hold(base: Base, own: Candidate, dead: readonly string[]): Promise<'holds' | 'vanished'> {
  // A holder that is gone by now may have taken this socket for a dead one while it was being made.
  if (!readdirSync(base.path).includes(own.name)) return 'vanished';
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

/** Who listens on a socket; nobody when it is dead. Who hangs up instead of answering is leaving, and worth another look. */
function ask(base: Base, name: string): Promise<Holder | undefined> {
  const { promise, resolve } = Promise.withResolvers<Holder | undefined>();
  const pid = Number(socketPattern.exec(name)?.[1]);
  let text = '';
  let state: Holder['state'] = 'leaving';
  const socket = connect(join(base.path, name));
  socket.setTimeout(answerMs, () => {
    state = 'silent';
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

/**
 * Holds on until it is let go: a socket that somebody removes (a clean-up, a lock that was taken for stale) is made anew, unless another process came
 * meanwhile, or another folder stands at the path.
 */
function keepHolding(
  folder: string,
  base: Base,
  first: Candidate,
  log: (message: string) => void,
): () => Promise<void> {
  const place = placeOf(base);
  const held = [first];
  let looking: Promise<void> = Promise.resolve();
  const renew = async () => {
    const own = held.at(-1) ?? first;
    if (placeOf(base) !== place || readdirSync(base.path).includes(own.name)) return;
    const { taken } = await look(base, own, new Map());
    if (taken) return;
    const again = await listen(folder, base);
    again.state = 'holding';
    again.server.unref();
    held.push(again);
    log(
      `${join(folder, own.name)} was removed while this process held the store: it is ${again.name} now. Leave the lock to Weir`,
    );
  };
  const timer = setInterval(() => {
    // What cannot be looked at now is looked at again.
    looking = looking.then(renew).catch(() => {});
  }, renewMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
    // Closing a server also removes its socket, by the path that `base` keeps valid.
    for (const own of held) await stop(own);
    base.close();
  };
}

const renewMs = 1000;

/** Which folder it is, wherever it stands; nothing where it cannot be looked at. */
function placeOf({ path }: Base): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function stop({ server, callers }: Candidate): Promise<void> {
  return new Promise((resolve) => {
    // Otherwise a process with nothing else to do would end before this has.
    server.ref().close(() => resolve());
    for (const caller of callers) caller.destroy();
  });
}
