// Reads a file that the command line names.
import { readFileSync } from 'node:fs';
import { reasonOf } from '../lib/reason-of.ts';
import { Unavailable } from './failure.ts';

/** The text of a file. Throws `Unavailable` with `code` where it cannot be read; `what` says in words which file it is. */
export function textOf(file: string, code: string, what = ''): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Unavailable(code, `${what}${file} cannot be read, because ${reasonOf(error)}`);
  }
}
