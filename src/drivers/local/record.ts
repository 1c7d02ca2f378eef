// What is written down of a runtime that runs, so that it is found again whatever happens to Weir.
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { type Folder, textIn, writePrivate } from './folder.ts';

const form = z.strictObject({
  /** Absent between the decision to start it and its start. */
  pid: z.int().min(2).optional(),
  began: z.string().optional(),
  /** The folder of its instance: a copy of it elsewhere is none. */
  folder: z.string(),
  /** Marks it and all that it starts. */
  run: z.string(),
  port: z.int(),
  /** Of what it was started with. */
  digest: z.string(),
  /** In milliseconds. */
  healthCheckIntervalMs: z.int(),
  editorPath: z.string(),
  /** What stands before its paths. */
  path: z.string().default(''),
  /** The form of the header of the gateway that it knows (`doorForm`); absent where an older Weir started it. */
  door: z.int().optional(),
});

/** A runtime as it was started. */
export type RunRecord = z.output<typeof form>;

/** What was written down; nothing where there is nothing, or nothing of use. */
export async function readRecord(folder: Folder): Promise<RunRecord | undefined> {
  const text = await textIn(folder.record);
  return text === undefined ? undefined : parsed(text);
}

function parsed(text: string): RunRecord | undefined {
  try {
    return form.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Writes it down. */
export function writeRecord(folder: Folder, record: RunRecord): Promise<void> {
  return writePrivate(folder.record, `${JSON.stringify(record)}\n`);
}

/** It no longer runs. */
export async function forgetRecord(folder: Folder): Promise<void> {
  await rm(folder.record, { force: true });
  await rm(folder.token, { force: true });
}
