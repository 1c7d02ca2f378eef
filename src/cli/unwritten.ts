// What is said of a file that cannot be written.
import { whyUnwritable } from '../lib/reason-of.ts';
import { Unavailable } from './failure.ts';

/** The failure of a command that could not write a file. */
export function notWritten(file: string, error: unknown): Unavailable {
  return new Unavailable('output_not_written', `${file} cannot be written, because ${whyUnwritable(file, error)}`);
}
