// What stands in a backup: its first and last entry, and the names that the others may have.
import { z } from 'zod';
import { keyFileName } from '../key-file.ts';

/** The version of the layout of backups; a newer one is refused. */
export const backupVersion = 1;

/** The name of the first entry, which says what this is, and of the last, which says what has to be in it. */
export const entryNames = { heading: 'backup.json', manifest: 'manifest.json' } as const;

/** The most that either of them may have, in bytes. */
export const mostNotes = 1 << 28;

/** What a backup is of. Times are RFC 3339 UTC. */
export interface Heading {
  readonly weir: 'backup';
  readonly version: number;
  /** The format that the files of the store are written in, and read by. */
  readonly storeVersion: number;
  /** The version of Weir that made it. */
  readonly madeBy: string;
  readonly at: string;
  /** The last commit of the store that is in it. */
  readonly position: number;
  /** The ids of the keys that its secrets are encrypted with; absent in backups that were made before this was told. */
  readonly keys?: readonly string[] | undefined;
}

/** A file as the manifest has it. */
export interface Listed {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What says that something is a backup at all. */
export const anyHeading = z.object({ weir: z.literal('backup'), version: z.number().int().positive() });

export const heading: z.ZodType<Heading> = z.object({
  weir: z.literal('backup'),
  version: z.number().int().positive(),
  storeVersion: z.number().int().positive(),
  madeBy: z.string(),
  at: z.string(),
  position: z.number().int().nonnegative(),
  keys: z.array(z.string().regex(/^[0-9a-f]{8}$/)).optional(),
});

export const manifest: z.ZodType<{ readonly files: readonly Listed[] }> = z.object({
  files: z.array(z.object({ path: z.string(), bytes: z.number().int().nonnegative(), sha256: z.string() })),
});

/** Why a file may not be unpacked from a backup, in words; nothing where it may. Everything stands in folders that a store has. */
export function problemOfPath(path: string): string | undefined {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'it leads out of the folder';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is kept out.
  if (/[\u0000-\u001f\u007f\\]/.test(path) || parts.some((part) => Buffer.byteLength(part) > 255))
    return 'its name is none that a file may have';
  return places.some((place) => place.test(path)) ? undefined : 'it is no part of a store';
}

/** Whether a file is a blob whose bytes are not those that its name stands for. */
export function isBentBlob(path: string, sha256: string): boolean {
  return path.startsWith('store/blobs/') && !path.endsWith(`/${sha256}`);
}

/** Where the keys stand in a backup that was made with them. */
export const keyEntry = `store/${keyFileName}`;

const places: readonly RegExp[] = [
  /^store\/secret\.key$/,
  /^store\/(?:journal|snapshot)-\d{12}\.jsonl$/,
  /^store\/records\/(?:history|audit)-\d{12}-\d{12}\.jsonl$/,
  /^store\/blobs\/[0-9a-f]{64}$/,
  /^store\/instances\/[A-Za-z0-9][A-Za-z0-9._-]*\/[^/]/,
];
