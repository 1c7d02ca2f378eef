// What a driver is: that which runs instances somewhere. Each ability stands for itself, so that a driver has those that it really has.
import type { Readable } from 'node:stream';
import type { Content, Stored } from '../core/instances/content.ts';
import type { StaticFile } from '../core/instances/static-files.ts';
import type { FeatureName } from '../core/kinds/features.ts';
import type { SpecOf } from '../core/kinds/index.ts';
import type { StartedWith } from '../core/kinds/instance.ts';

/** A driver that this build of Weir has. */
export interface Driver {
  /** As `Platform.spec.driver.kind` names it. */
  readonly kind: SpecOf<'Platform'>['driver']['kind'];
  /** The features of team types that it really delivers. */
  readonly provides: ReadonlySet<FeatureName>;
  /** Runs instances; absent where this build cannot: then nothing can be started. */
  readonly runner?: Runner;
  /** Keeps what instances log; absent where it does not. */
  readonly logs?: Logs;
  /** Reads and writes what people make in instances; absent where it cannot. */
  readonly keeper?: Keeper;
  /** Measures what instances use; absent where it does not. */
  readonly meter?: Meter;
  /** Says what is installed in instances; absent where it cannot. */
  readonly inventory?: Inventory;
  /** Keeps files that instances serve as they are; absent where it does not. */
  readonly files?: Files;
  /** Keeps instances from each other and from Weir; absent where that is not its affair. */
  readonly isolation?: Isolating;
  /** Tells where instances answer; absent where nobody can reach them. */
  readonly doors?: Doors;
}

/** An instance as a driver is given it. Secrets in the options stand as they are kept: written out, or by reference. */
export interface Run extends Omit<StartedWith, 'at'> {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The slug of its team. */
  readonly team: string;
  /** What the runtime encrypts the credentials in its flows with: the same at each start, else they cannot be read any more. */
  readonly credentialSecret: string;
  /** The path below which people reach it, so that its own addresses lead there: `/i/7Kc`. Absent: none, as at a host name of its own. */
  readonly path?: string;
  /** In safe mode: its editor works, and its flows do not run until somebody deploys. */
  readonly safe?: boolean;
}

/** How an instance came up: where it answers, where it does. */
export interface Up {
  readonly url?: string;
  /** What is wrong with it although it came up. */
  readonly notice?: Notice;
}

/** Why an instance ended, or could not be made to do something: a word for programs, and a sentence for people that follows "because". */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}

/**
 * The ability to run instances. Each call may be repeated, also after a crash of Weir half-way through it: it looks at what is there, and does
 * what is left. Rejects with `DriverFailed` for what somebody can do something about.
 */
export interface Runner {
  /** Brings an instance up with these settings; one that runs with them already is left alone. Resolves when it works; gives up on `signal`. */
  start(run: Run, signal: AbortSignal): Promise<Up>;
  /** Rejects where it could not be started with these settings, whatever else happens: its stack is missing or broken. Absent where the driver cannot tell. */
  check?(run: Run): Promise<void>;
  /** Resolves when it no longer runs; what it has written stays. */
  stop(id: string): Promise<void>;
  /** Stops it, and gives back whatever it holds but what it has written. */
  suspend(id: string): Promise<void>;
  /** Stops it, and deletes what it has written. */
  remove(id: string): Promise<void>;
  /** The ids of all that run now: asked when Weir starts, to find again what it left running. */
  running(): Promise<ReadonlySet<string>>;
  /** Told of each instance that ended by itself. Answers the function that ends it. */
  onEnd(listener: (id: string, why: Reason) => void): () => void;
  /** Told of what is wrong with an instance that runs on, and of its end; absent where the driver does not look. Answers the function that ends it. */
  onNotice?(listener: (id: string, notice: Notice) => void): () => void;
}

/** What is wrong with an instance that runs on: a type of condition, and why it holds; without that it holds no more. `SafeMode` is only told to be over. */
export interface Notice {
  readonly type: 'FlowsStopped' | 'LogCut' | 'SafeMode';
  readonly why?: Reason;
}

/** The ability to read what people made in an instance, and to put it back. Rejects with `DriverFailed` for what somebody can do something about. */
export interface Keeper {
  /** What it has now, whether it runs or not; nothing in it where it never ran. Too much for a snapshot is `TooLarge`. */
  read(id: string, parts?: Parts): Promise<Stored>;
  /** The same as the bytes of a snapshot, without holding up anybody; absent where the driver cannot. */
  pack?(id: string, settings: Content['settings'], parts?: Parts & InTurn): Promise<Packed>;
  /**
   * Has an instance that does not run hold this from its next start on, in place of what it has: all of it, whatever happens on the way, or where
   * this rejects, nothing. Context that is not among it is left alone. `encryptedWith` is the secret of the credentials, `credentialSecret` that of the instance. Answers what it holds then.
   */
  write(id: string, wanted: Written): Promise<Stored>;
  /** The same from the bytes of a snapshot, without holding up anybody; absent where the driver cannot. Bytes that hold none are `ContentUnreadable`. */
  unpack?(id: string, wanted: PackedContent): Promise<Unpacked>;
  /** Told when the flows of an instance that runs may have changed, and once when it is first looked after: a hint. Answers the function that ends it. */
  onChange(listener: (id: string) => void): () => void;
}

/** What is read only where it is asked for: persistent context, as the runtime wrote it last. */
export interface Parts {
  readonly context?: boolean;
}

/** Whose turn work takes that is done one piece after another, a piece of each: the id of a team. */
export interface InTurn {
  readonly turn?: string;
}

/** What an instance has, as a snapshot keeps it. `deploy` is the digest by which one deploy is told from another. */
export interface Packed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly deploy: string;
  readonly modules: Content['modules'];
  /** It has no flows. */
  readonly isEmpty: boolean;
}

/** The bytes of a snapshot that is to be written into an instance: they are handed over, and nobody else uses them. */
export interface PackedContent extends Omit<Written, 'stored'>, InTurn {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What was written. `deploy` is the digest by which one deploy is told from another. */
export type Unpacked = Pick<Packed, 'deploy'>;

/** What is to be written into an instance. */
export interface Written {
  readonly stored: Stored;
  readonly encryptedWith?: string;
  readonly credentialSecret: string;
}

/** The ability to keep logs. */
export interface Logs {
  /** The last lines of an instance, or those before a place; none where it has logged nothing. */
  read(id: string, wish: LogWish): Promise<LogPage>;
}

/** Which lines: at most `limit`, those that end at `before` where that is given. */
export interface LogWish {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Lines in the order in which they were written. `next` is where the page before this one ends; `count` is how many lines there are. */
export interface LogPage {
  readonly lines: readonly LogLine[];
  readonly count: number;
  readonly next?: number;
}

/** One line. When, and how grave, is known of what the runtime logged; not of what something in it just printed. */
export interface LogLine {
  readonly at?: string;
  readonly level?: string;
  readonly message: string;
}

/** The ability to measure. */
export interface Meter {
  /** What each instance that runs uses now, by its id. */
  read(): Promise<ReadonlyMap<string, Usage>>;
}

/** The ability to say what is installed. */
export interface Inventory {
  /** What an instance has that is to run `runtime` (as its stack names it), whether it runs or not. */
  read(id: string, runtime: string): Promise<Installed>;
}

/** What is installed in an instance. `runtime` is absent where its stack is not there. */
export interface Installed {
  readonly runtime?: { readonly name: string; readonly version: string };
  /** By name. */
  readonly modules: readonly InstalledModule[];
}

/** A module: the range of versions that is wanted, and the version that is there; absent where it is not. */
export interface InstalledModule {
  readonly name: string;
  readonly wanted: string;
  readonly version?: string | undefined;
}

/**
 * The ability to keep files that instances serve as they are, by paths that `staticPathProblem` has nothing against, whether they run or not. `check` is
 * told what there is just before a change, and forbids it by throwing; one change of an instance comes after another.
 */
export interface Files {
  /** All files of an instance, by path. What flows made something else than a plain file is none. */
  list(id: string): Promise<readonly StaticFile[]>;
  /** Writes a file, all or nothing, in place of one that may be there. */
  put(id: string, path: string, content: Uint8Array, check: FilesCheck): Promise<StaticFile>;
  /** Deletes a file; one that is not there is gone already. */
  remove(id: string, path: string, check: FilesCheck): Promise<void>;
  /** A file to read; nothing where there is none. */
  open(id: string, path: string): Promise<OpenedFile | undefined>;
}

export type FilesCheck = (files: readonly StaticFile[]) => void;

/** A file that is open, until it has been read, or `close` is called. */
export interface OpenedFile extends StaticFile {
  /** All of it, as it was when it was opened, or a part (both ends included); less where it was cut short meanwhile. It closes the file. Not for one that is empty. */
  read(part?: { readonly start: number; readonly end: number }): Readable;
  close(): Promise<void>;
}

/**
 * What an instance uses. `memoryBytes` is all that it holds, `heapBytes` what counts against the memory that its stack allows, where that is known.
 * `cpuSeconds`: since it was started; `run` is another text each time that it is.
 */
export interface Usage {
  readonly memoryBytes: number;
  readonly heapBytes?: number;
  /** What its folder takes up of the disk. */
  readonly diskBytes?: number;
  readonly cpuSeconds: number;
  readonly run: string;
}

/** The ability to keep instances from each other and from Weir, as far as the machine lets it. */
export interface Isolating {
  /** What is in force for instances that are started now. */
  inForce(): Promise<InForce>;
}

/** What isolation is in force: a word for programs, and a sentence for people. */
export interface InForce {
  readonly level: string;
  readonly reason: 'None' | 'User' | 'Namespace' | 'Cgroup';
  readonly message: string;
  /** The same without what `limits` says. */
  readonly separation?: string;
  /** Whether the system itself keeps each instance to its memory and processes, and what is said of that. */
  readonly limits?: { readonly isComplete: boolean; readonly message: string };
  /** What is wanted cannot be had here, so nothing is started. */
  readonly refuses?: boolean;
}

/** The ability to be reached: by Weir, which decides who may come in. */
export interface Doors {
  /** The door of an instance that runs; nothing where none does. Asked at every request, so it answers from memory. */
  at(id: string): Door | undefined;
}

/** Where a runtime answers, and how it is told who sends a request. */
export interface Door {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string;
  /** What stands before all its paths, without a slash at the end; empty where nothing does. */
  readonly path: string;
  /** The path of its editor, without a slash at the end. */
  readonly editorPath: string;
  /** The header (name in lower case, value) that each request of the gateway carries: it opens the editor to `editor`, for this one request. */
  principal(request: DoorRequest): readonly [name: string, value: string];
}

/** A request that goes to a runtime: its method, its path and query as they are sent, and who may use the editor. Without `editor` there are only flows. */
export interface DoorRequest {
  readonly method: string;
  readonly path: string;
  readonly editor: { readonly name: string; readonly mayWrite: boolean } | undefined;
}

/** A driver could not do it. The message is for the people of the team: nothing internal. */
export class DriverFailed extends Error implements Reason {
  override readonly name = 'DriverFailed';
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
