// The version of the file formats, and how files of older versions are read: line by line, up the steps.

import type { Keyring, SealKey } from './seal.ts';
import { steps } from './steps/index.ts';
import type { FileSort, Step } from './steps/step.ts';
import { StoreUnavailable } from './store.ts';

/** What this process writes, and what it can read. */
export interface Format {
  readonly version: number;
  readonly steps: readonly Step[];
  /** What secrets are encrypted with; absent until it was looked for. */
  readonly keyring?: Keyring;
  /** Secrets stay encrypted as lines are read: for who copies files, and needs no key. */
  readonly leavesSealed?: true;
}

/** The key that encrypts what is written; none where nothing with secrets can be written. */
export function sealingKey({ keyring }: Format): SealKey | undefined {
  return keyring?.keys[0];
}

/** A format that is reached by these steps from version 1. */
export function formatOf(all: readonly Step[]): Format {
  return { version: all.length + 1, steps: all };
}

/** The format that this version of Weir writes. */
export const presentFormat = formatOf(steps);

/** Reads lines that were written in a version: as they are, or up the steps. */
export function upgradeFrom({ steps: all }: Format, version: number, sort: FileSort): Step {
  const needed = all.slice(version - 1);
  return needed.length === 0 ? (line) => line : (line) => needed.reduce((value, step) => step(value, sort), line);
}

/** The refusal of what a newer version of Weir has written. `what` names it. */
export function newer(what: string): StoreUnavailable {
  return new StoreUnavailable('newer', `the store was written by a newer version: ${what}. Start that version.`);
}

/** Throws where a file is of a version that is not known yet. */
export function checkVersion({ version: known }: Format, version: number, path: string): void {
  if (version > known)
    throw newer(`${path} has format ${version}, and this version of Weir knows formats up to ${known}`);
}
