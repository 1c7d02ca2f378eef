// What is written down of a runtime that runs, so that it is found again whatever happens to Weir.
import { z } from 'zod';
import { parsedJson } from '../../lib/parsed-json.ts';
import { removeTree } from './deep.ts';
import { type Folder, keptText, writePrivate } from './folder.ts';

/** Whether a text can be the mark of a run. */
export function isRun(text: string): boolean {
  return /^[0-9a-f]{14,64}$/.test(text);
}

/** What a newer Weir writes besides is not looked at: what cannot be read is what runs on with nobody to look after it. */
const form = z.object({
  /** Absent between the decision to start it and its start. */
  pid: z.int().min(2).optional(),
  began: z.string().optional(),
  /** The first process of its namespace, where it has one of its own. */
  init: z.object({ pid: z.int().min(2), began: z.string() }).optional(),
  /** The user that it runs as, where it has one of its own. */
  user: z.int().min(1).optional(),
  /** The folder of its instance: a copy of it elsewhere is none. */
  folder: z.string(),
  /** Marks it and all that it starts. */
  run: z.string().refine(isRun),
  /** The folders of its control groups. */
  groups: z.array(z.string()).optional().catch(undefined),
  port: z.int().min(1).max(65_535),
  /** Of what it was started with. */
  digest: z.string(),
  /** In milliseconds. */
  healthCheckIntervalMs: z.int().min(1),
  /** The memory that its stack allows its heap, in MiB. */
  memoryMb: z.int().min(1).optional().catch(undefined),
  editorPath: z.string(),
  /** What stands before its paths. */
  path: z.string().default(''),
  /** The form of the header of the gateway that it knows (`doorForm`); absent where an older Weir started it. */
  door: z.int().optional(),
});

/** A runtime as it was started. */
export type RunRecord = z.output<typeof form>;

/** What is enough to end a runtime, where the rest of its record says nothing to this version. */
const remains = form.pick({ folder: true, run: true, groups: true, init: true, user: true });

/** What was written down, or as much of it as ends the runtime; nothing where there is nothing, or nothing of use. */
export async function readRecord(folder: Folder): Promise<RunRecord | z.output<typeof remains> | undefined> {
  const text = await keptText(folder.record);
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  return form.safeParse(value).data ?? remains.safeParse(value).data;
}

/** Writes it down. */
export function writeRecord(folder: Folder, record: RunRecord): Promise<void> {
  return writePrivate(folder.record, `${JSON.stringify(record)}\n`);
}

/** A run is over. What another one has written down meanwhile stays. */
export async function forgetRecord(folder: Folder, run: string): Promise<void> {
  if (((await readRecord(folder))?.run ?? run) !== run) return;
  for (const path of [folder.record, folder.token]) await removeTree(path);
}
