// What the server is built from: everything that its handlers may ask.
import type { Readable } from 'node:stream';
import type { Passwords } from '../auth/password.ts';
import type { Contents } from '../control/contents.ts';
import type { Reconciler } from '../control/reconciler.ts';
import type { Door } from '../control/submit.ts';
import type { StaticFile } from '../core/instances/static-files.ts';
import type { DeclaredKindName } from '../core/kinds/index.ts';
import type { View } from '../core/model/view.ts';
import type { Clock } from '../lib/clock.ts';
import type { Turns } from '../lib/turns.ts';
import type { Mailer } from '../mail/mail.ts';
import type { PasswordProvider } from '../sso/provider.ts';
import type { Agents } from './agents.ts';
import type { BodyRoom } from './body-room.ts';
import type { ContentWork } from './content-work.ts';
import type { DeviceWaiters } from './device-waiters.ts';
import type { MergedRefusals } from './merged-refusals.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { PlanTurns } from './plan-turns.ts';
import type { Patience } from './proxy/patience.ts';
import type { InvitationQuotas, Quota } from './quota.ts';
import type { Tries } from './tries.ts';
import type { WrongPasswords } from './wrong-passwords.ts';

/** A document of an export; `path` is relative to the tree. */
export interface ExportedDocument {
  readonly path: string;
  readonly content: string;
}

/** What is exported: all of a kind, or one object. */
export interface ExportFilter {
  readonly kind: DeclaredKindName;
  readonly name?: string;
}

/** What goes with a line of the log, by name: the id of a request is its `requestId`. */
type LogDetails = Readonly<Record<string, unknown>>;

/** Which lines of a log: at most `limit`, those that end at `before` where that is given. */
export interface LogWish {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Lines in the order in which they were written, how many there are, and where the page before this one ends. */
export interface LogPage {
  readonly lines: readonly { readonly at?: string; readonly level?: string; readonly message: string }[];
  readonly count: number;
  readonly next?: number;
}

/** What is installed in an instance: its runtime, where its stack is there, and modules by name; `version` is absent of one that is not there. */
export interface Installed {
  readonly runtime?: { readonly name: string; readonly version: string };
  readonly modules: readonly {
    readonly name: string;
    readonly wanted: string;
    readonly version?: string | undefined;
  }[];
}

/** A stretch of time: when it begins (seconds since 1970), and what an instance used in it, on average and at most. The processor in percent of one core. */
export interface UsageStretch {
  readonly at: number;
  readonly memoryBytes: number;
  readonly memoryPeakBytes: number;
  readonly cpuPercent?: number | undefined;
  readonly cpuPeakPercent?: number | undefined;
  readonly diskBytes?: number | undefined;
}

/** The files that instances serve as they are. `check` is told what there is just before a change, and forbids it by throwing. */
export interface InstanceFiles {
  list(id: string): Promise<readonly StaticFile[]>;
  put(
    id: string,
    path: string,
    content: Uint8Array,
    check: (files: readonly StaticFile[]) => void,
  ): Promise<StaticFile>;
  remove(id: string, path: string, check: (files: readonly StaticFile[]) => void): Promise<void>;
  open(id: string, path: string): Promise<OpenedFile | undefined>;
}

/** A file that is open until it was read to its end, or `close` is called. One that is empty is not read. */
export interface OpenedFile extends StaticFile {
  /** All of it, or a part: both ends are included. */
  read(part?: { readonly start: number; readonly end: number }): Readable;
  close(): Promise<void>;
}

/** Where the runtime of an instance answers, and how it is told who sends a request. */
export interface InstanceDoor {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string;
  /** What stands before all its paths, and the path of its editor; both without a slash at the end. */
  readonly path: string;
  readonly editorPath: string;
  /** The header that each request carries, which opens the editor to `editor` for this one request. */
  principal(request: {
    readonly method: string;
    readonly path: string;
    readonly editor: { readonly name: string; readonly mayWrite: boolean } | undefined;
  }): readonly [name: string, value: string];
}

/** How long the way in waits, where it is not as usual. */
export type WayInBounds = Partial<Patience>;

/** What the server needs of the rest of the program. */
export interface ServerOptions {
  readonly door: Door;
  readonly reconciler: Reconciler;
  /** In steps, so that a large one can be sliced. */
  readonly exportDocuments: (view: View, filter?: ExportFilter) => Generator<void, readonly ExportedDocument[]>;
  /** A keyed fingerprint of a secret, so that a plan shows that it changes and not what it is. */
  readonly fingerprint: (secret: string) => string;
  /** The address under which people reach the server, without a slash at its end. */
  readonly baseUrl: string;
  /** That of Weir itself. */
  readonly version: string;
  readonly passwords: Passwords;
  readonly mailer: Mailer;
  /** Asks the directories of LDAP configurations. */
  readonly directory: PasswordProvider;
  /** Told of each answer, and read by scrapers. */
  readonly metrics: Metrics;
  /** Reads what an instance logged; absent where nothing runs instances. */
  readonly instanceLogs?: (id: string, wish: LogWish) => Promise<LogPage>;
  /** What snapshots hold; absent where nothing runs instances. */
  readonly contents?: Contents;
  /** What each instance that runs uses, by its id; absent where nothing runs instances. */
  readonly instanceUsage?: () => Promise<
    ReadonlyMap<string, { readonly memoryBytes: number; readonly cpuSeconds: number; readonly diskBytes?: number }>
  >;
  /** What is installed in an instance that is to run a runtime; absent where nothing runs instances. */
  readonly installed?: (id: string, runtime: string) => Promise<Installed>;
  /** The files that instances serve as they are; absent where nothing runs instances. */
  readonly instanceFiles?: InstanceFiles;
  /** What an instance used from one second to before another, in stretches of so many seconds; absent where nothing measures. */
  readonly instancePast?: (
    id: string,
    span: { readonly from: number; readonly to: number },
  ) => Promise<{ readonly seconds: number; readonly stretches: readonly UsageStretch[] }>;
  /** The mean delay of the event loop past which requests are turned away, where it lasts for so many seconds. */
  readonly pressure?: { readonly delayMs: number; readonly seconds: number };
  /** How long a request waits for long work, in milliseconds, where it is not as usual. */
  readonly maxWaitMs?: number;
  /** Where an instance that runs answers; absent where nobody can reach them. */
  readonly instanceDoor?: (id: string) => InstanceDoor | undefined;
  readonly wayIn?: WayInBounds;
  /** The most sockets that may be open in all, of clients and to runtimes together; absent: any number. */
  readonly maxSockets?: number;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Told what went wrong inside, with the id of the request. */
  readonly log: (message: string, details?: LogDetails) => void;
  /** Told what somebody outside did or sent that was refused, and that an administrator may have to mend; absent: `log` is. */
  readonly warn?: (message: string, details?: LogDetails) => void;
  /** Told of every answer, where somebody wants to know. */
  readonly trace?: (message: string, details: LogDetails) => void;
}

/** What handlers may ask. */
export interface Services extends ServerOptions {
  /** Whether the server still takes requests. */
  readonly closing: () => boolean;
  /** When a credential was last used (by its id), where that is newer than what is kept. */
  readonly lastUsed: (id: string) => string | undefined;
  /** Whoever reads the audit log or the history waits for their turn. */
  readonly recordTurns: Turns;
  /** Whoever has a plan or an export made waits for their turn. */
  readonly planTurns: PlanTurns;
  /** Whoever sends a long body takes room for it first. */
  readonly bodyRoom: BodyRoom;
  /** Reads what snapshots hold, and compares it. */
  readonly contentWork: ContentWork;
  /** Whoever asks what is installed waits for their turn. */
  readonly installedTurns: Turns;
  /** How many invitations somebody may send. */
  readonly invitationQuotas: InvitationQuotas;
  /** How often somebody is told that others register with their address. */
  readonly addressMails: Quota;
  /** Devices that wait for something to change. */
  readonly deviceWaiters: DeviceWaiters;
  /** The agents that were heard of each device. */
  readonly agents: Agents;
  /** How often a password may be tried on a directory. */
  readonly tries: Tries;
  /** Slows the networks from which many wrong ones come. */
  readonly wrongPasswords: WrongPasswords;
  /** Audits sign-ins that were refused to nobody in particular. */
  readonly refusals: MergedRefusals;
  /** The description of the API. */
  readonly description: () => object;
}
