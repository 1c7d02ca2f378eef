// What is done with contents of snapshots for requests: by a thread where they are large, because it holds up everybody else; bounded, and in turns that are fair.
import { type Bytes, contentFor, contentInBytes, declined, type Secrets } from '../control/contents.ts';
import { compareContents } from '../core/instances/compare.ts';
import { contentText } from '../core/instances/content.ts';
import type { Resource } from '../core/model/resource.ts';
import { Declined, type DeclinedReason } from '../core/proposals/declined.ts';
import { createFairTurns, type FairTurns } from '../lib/fair-turns.ts';
import { inWorker, workerFor } from '../lib/in-worker.ts';
import { Problem, type ProblemExtras } from './errors.ts';
import { digestOf } from './etag.ts';
import { checked } from './plugins/bodies.ts';
import { bodyIn } from './read-body.ts';
import { contentOfSent, sentBody, shownRunnable } from './views/device-snapshot.ts';

/** The bytes of a content, and the name of the blob that they are, or `instance` for what an instance has. */
export interface NamedBytes {
  readonly bytes: Bytes;
  readonly name: string;
}

/** An answer that is written already. */
export interface Written {
  readonly bytes: Bytes;
  readonly digest: string;
}

/** What a device sent: as it is kept, and what is told of it. */
export interface Sent {
  readonly bytes: Bytes;
  readonly digest: string;
  readonly modules: Readonly<Record<string, string>>;
  readonly request: string | undefined;
}

/** Each rejects with `Declined` (`conflict`), which says `what` cannot be, or `invalid_request`. Bytes are handed over, and gone then. */
export interface ContentWork {
  /** Does work of a team in its turn, for which it fetches what is large. Rejects with `unavailable` where too many wait. */
  readonly reading: FairTurns;
  /** The same with what was sent, which is there already: `body-room.ts` bounds how much that is. */
  readonly sending: FairTurns;
  /** Whether the bytes hold what can be restored. */
  check(content: NamedBytes, what: string): Promise<void>;
  compare(before: NamedBytes, after: NamedBytes, positions: boolean, what: string): Promise<Written>;
  /** A snapshot as a device runs it, with credentials that it can read. */
  runnable(snapshot: Snapshot, content: NamedBytes, secrets: Secrets, what: string): Promise<Written>;
  /** The content of what a device sent, in the body of its request. */
  sent(body: Uint8Array, device: SentBy, what: string): Promise<Sent>;
}

type Snapshot = Pick<Resource<'Snapshot'>, 'id' | 'name'>;
type SentBy = Pick<Resource<'Device'>['spec'], 'environment' | 'reported'>;

type Job =
  | { readonly do: 'check'; readonly content: NamedBytes; readonly what: string }
  | {
      readonly do: 'compare';
      readonly before: NamedBytes;
      readonly after: NamedBytes;
      readonly positions: boolean;
      readonly what: string;
    }
  | {
      readonly do: 'runnable';
      readonly snapshot: Snapshot;
      readonly content: NamedBytes;
      readonly secrets: Secrets;
      readonly what: string;
    }
  | { readonly do: 'sent'; readonly body: Bytes; readonly device: SentBy; readonly what: string };

type Done =
  | { readonly written: Written }
  | { readonly sent: Sent }
  | { readonly declined: { readonly reason: DeclinedReason; readonly message: string } }
  | { readonly refused: ProblemExtras };

const mark = 'content-work';

/** Less than this is done at once: it takes less time than a thread takes to begin. In bytes. */
const small = 256 * 1024;

/** How much is read at a time. Who waits holds nothing yet, and all devices of a group may ask at once. */
const readers = { atOnce: 2, places: 10_000, perKey: 2000 } as const;

/** How much of what was sent is read at a time. Who waits holds a body. */
const senders = { atOnce: 2, places: 64, perKey: 4 } as const;

/** Makes one, with a thread that comes and goes. */
export function createContentWork(): ContentWork {
  const inThread = workerFor<Job, Done>(import.meta.url, mark, (job) => bytesIn(job).map(({ buffer }) => buffer));
  const work = async (job: Job): Promise<Done> => {
    const size = bytesIn(job).reduce((sum, { length }) => sum + length, 0);
    const done = size < small ? workOn(job) : await inThread(job);
    if ('declined' in done) throw new Declined(done.declined.reason, done.declined.message);
    if ('refused' in done) throw new Problem('invalid_request', done.refused);
    return done;
  };
  const written = async (job: Job): Promise<Written> => {
    const done = await work(job);
    if ('written' in done) return done.written;
    throw new TypeError(`nothing was written by ${job.do}`);
  };
  return {
    reading: createFairTurns(readers, full),
    sending: createFairTurns(senders, full),
    check: async (content, what) => void (await work({ do: 'check', content, what })),
    compare: (before, after, positions, what) => written({ do: 'compare', before, after, positions, what }),
    runnable: ({ id, name }, content, secrets, what) =>
      written({ do: 'runnable', snapshot: { id, name }, content, secrets, what }),
    sent: async (body, { environment, reported }, what) => {
      const done = await work({ do: 'sent', body: ownBytes(body), device: { environment, reported }, what });
      if ('sent' in done) return done.sent;
      throw new TypeError('nothing was sent');
    },
  };
}

function full(): Problem {
  const detail = 'Too many snapshots are being read and compared now: try again later.';
  return new Problem('unavailable', { detail, headers: { 'retry-after': '5' } });
}

function bytesIn(job: Job): readonly Bytes[] {
  if (job.do === 'sent') return [job.body];
  return job.do === 'compare' ? [job.before.bytes, job.after.bytes] : [job.content.bytes];
}

/** A small body stands in memory that is shared with others, and cannot be handed over. */
function ownBytes(body: Uint8Array): Bytes {
  const { buffer } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === body.length ? new Uint8Array(buffer) : body.slice();
}

function workOn(job: Job): Done {
  try {
    return resultOf(job);
  } catch (cause) {
    const error = declined(cause, job.what);
    if (error instanceof Declined) return { declined: { reason: error.reason, message: error.message } };
    if (error instanceof Problem && error.code === 'invalid_request') return { refused: error.extras };
    throw error;
  }
}

function resultOf(job: Job): Done {
  switch (job.do) {
    case 'check':
      contentIn(job.content);
      return { written: written('') };
    case 'compare':
      return { written: written(JSON.stringify(difference(job.before, job.after, job.positions))) };
    case 'runnable': {
      const content = contentFor(contentIn(job.content), job.secrets);
      return { written: written(JSON.stringify(shownRunnable(job.snapshot, content))) };
    }
    case 'sent': {
      const body = checked(sentBody, bodyIn(job.body), 'body');
      const { modules, request } = body;
      return { sent: { ...written(contentText(contentOfSent(body, job.device))), modules, request } };
    }
  }
}

function contentIn({ bytes, name }: NamedBytes) {
  return contentInBytes(bytes, name);
}

function difference(before: NamedBytes, after: NamedBytes, positions: boolean) {
  const found = compareContents(contentIn(before), contentIn(after), { positions });
  const { flows, modules, settings } = found;
  const same = [...Object.values(flows), ...Object.values(modules), settings].every(({ length }) => length === 0);
  return { same, ...found };
}

function written(text: string): Written {
  const bytes = new TextEncoder().encode(text);
  return { bytes, digest: digestOf(bytes) };
}

inWorker(mark, workOn, (done) => {
  if ('written' in done) return [done.written.bytes.buffer];
  return 'sent' in done ? [done.sent.bytes.buffer] : [];
});
