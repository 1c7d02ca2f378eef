// One connection to a directory, spoken over by ldapts: sign in, search, leave. Every wait has an end, and what comes in is checked first.

import type { Socket as NetSocket } from 'node:net';
import { Duplex } from 'node:stream';
import { type BerWriter, Client, Control, type Entry, type Filter, BerWriter as Writer } from 'ldapts';
import { type Frame, pagedResults, tags } from './ber.ts';
import { connect, type Route, type Socket } from './connect.ts';
import { frameReader } from './frames.ts';
import { Trouble, troubleOf } from './trouble.ts';

/** What to look for. */
export interface Search {
  readonly filter: Filter;
  readonly attributes: readonly string[];
  readonly scope?: 'base' | 'sub';
  /** How many entries the directory is asked for at most; 0 for no limit of ours. */
  readonly sizeLimit?: number;
  /** Asks for one page, from the beginning or from where the last one ended (RFC 2696). */
  readonly page?: { readonly size: number; readonly cookie: Buffer };
}

export interface Found {
  readonly entries: readonly Entry[];
  /** Whether parts are on other servers; they are never asked. */
  readonly referred: boolean;
  /** Whether the directory stopped at a limit of size: at ours, or sooner at its own. */
  readonly limited: boolean;
  /** Where the next page begins; empty where there is none. */
  readonly cookie: Buffer;
}

/** A connection. Each function throws trouble, in time. */
export interface Session {
  readonly bind: (dn: string, password: string) => Promise<void>;
  readonly search: (base: string, search: Search) => Promise<Found>;
}

/**
 * Lets `work` open connections to a directory, and closes all of them when it is done. Throws trouble, also when everything together takes longer
 * than `loginMs`.
 */
export async function visit<T>(
  route: Omit<Route, 'signal'>,
  work: (open: () => Promise<Session>) => Promise<T>,
): Promise<T> {
  const life = new AbortController();
  const timer = setTimeout(() => life.abort(), route.limits.loginMs);
  const lines: Line[] = [];
  const open = async () => {
    const line = lineOver(await connect({ ...route, signal: life.signal }), { ...route, signal: life.signal });
    lines.push(line);
    return sessionOver(line, route.limits.operationMs);
  };
  try {
    return await work(open);
  } finally {
    clearTimeout(timer);
    await Promise.all(lines.map(leave));
  }
}

/** A connection with ldapts at one end, and what was seen of the directory's answers. */
interface Line {
  readonly client: Client;
  /** Rejects with the trouble that ended the connection. */
  readonly ended: Promise<never>;
  /** The last end of a search. */
  readonly done: () => Frame | undefined;
  readonly end: (trouble: Trouble) => void;
}

function lineOver(socket: Socket, { limits, signal }: Route): Line {
  const reader = frameReader(limits);
  let done: Frame | undefined;
  let fail = (_trouble: Trouble) => {};
  const ended = new Promise<never>((_, reject) => {
    fail = reject;
  });
  ended.catch(() => {});
  const stream = transport(socket);
  const end = (trouble: Trouble) => {
    fail(trouble);
    signal.removeEventListener('abort', overdue);
    stream.destroy();
  };
  const overdue = () => end(new Trouble('overdue'));
  signal.addEventListener('abort', overdue, { once: true });
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const frame of reader.take(chunk)) {
        // A notice that the directory leaves has no number (RFC 4511, 4.4.1).
        if (frame.messageId === 0) throw new Trouble('closed');
        if (frame.operation === tags.searchDone) done = frame;
        stream.push(frame.bytes);
      }
    } catch (error) {
      end(troubleOf(error));
    }
  });
  socket.once('error', (error) => end(troubleOf(error)));
  socket.once('end', () => end(new Trouble('closed')));
  socket.once('close', () => end(new Trouble('closed')));
  if (signal.aborted) overdue();
  return { client: clientOver(stream), ended, done: () => done, end };
}

/** What ldapts reads from and writes to. It is fed message by message, and takes the socket with it when it goes. */
function transport(socket: Socket): Duplex {
  const stream = new Duplex({
    // What comes is handed on as it comes; how much that can be is bounded.
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      socket.write(chunk, () => done());
    },
    final: (done) => {
      socket.end();
      done();
    },
    destroy: (_error, done) => {
      socket.destroy();
      done(null);
    },
  });
  // ldapts takes its own listeners off again.
  stream.on('error', () => {});
  return Object.assign(stream, { connecting: false, readyState: 'open' });
}

/** ldapts connects again by itself, without TLS and without a sign-in: it gets this connection, and never another. */
function clientOver(stream: Duplex): Client {
  let used = false;
  const createConnection = (): NetSocket => {
    if (used || stream.destroyed || !passesFor(stream)) throw new Trouble('closed');
    used = true;
    return stream;
  };
  return new Client({ url: 'ldap://localhost', createConnection });
}

/** ldapts uses nothing of a socket but what a stream has, and the two fields that `transport` adds. */
function passesFor(stream: Duplex): stream is NetSocket {
  return 'readyState' in stream;
}

function sessionOver(line: Line, operationMs: number): Session {
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(() => line.end(new Trouble('slow')), operationMs);
    try {
      return await Promise.race([line.ended, work()]);
    } catch (error) {
      throw troubleOf(error);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    bind: (dn, password) => inTime(() => line.client.bind(dn, password)),
    search: (base, search) => inTime(() => searchOver(line, base, search, operationMs)),
  };
}

async function searchOver(line: Line, base: string, search: Search, operationMs: number): Promise<Found> {
  const { filter, attributes, scope = 'sub', sizeLimit = 0, page } = search;
  const timeLimit = Math.ceil(operationMs / 1000);
  const options = {
    filter,
    attributes: [...attributes],
    scope,
    sizeLimit,
    timeLimit,
    explicitBufferAttributes: ['objectGUID'],
  };
  const { searchEntries, searchReferences } = await line.client.search(
    base,
    options,
    page ? new PageControl(page.size, page.cookie) : [],
  );
  const done = line.done();
  return {
    entries: searchEntries,
    referred: searchReferences.length > 0,
    // ldapts keeps it to itself when a limit was asked for, and hands out what came before.
    limited: done?.result === sizeLimitExceeded,
    cookie: done?.cookie ?? Buffer.alloc(0),
  };
}

const sizeLimitExceeded = 4;

/** Asks for a page. That of ldapts takes an empty page for the last one, though more may follow (RFC 2696, 3). */
class PageControl extends Control {
  private readonly size: number;
  private readonly cookie: Buffer;

  constructor(size: number, cookie: Buffer) {
    super(pagedResults);
    this.size = size;
    this.cookie = cookie;
  }

  protected override writeControl(writer: BerWriter): void {
    const value = new Writer();
    value.startSequence();
    value.writeInt(this.size);
    value.writeBuffer(this.cookie, 0x04);
    value.endSequence();
    writer.writeBuffer(value.buffer, 0x04);
  }
}

/** Says good-bye, and does not wait long for it to be heard. */
async function leave(line: Line): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((done) => {
    timer = setTimeout(done, leavingMs);
  });
  await Promise.race([line.client.unbind().catch(() => {}), line.ended.catch(() => {}), patience]);
  clearTimeout(timer);
  line.end(new Trouble('closed'));
}

const leavingMs = 200;
