// Waiting in tests: for what is meant, by one deadline that only failure reaches, however busy the machine is.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningCommand } from './run-command.ts';

/** How long anything that must come is waited for, in milliseconds. */
export const patienceMs = 60_000;

export interface UntilOptions {
  /** What there is to see instead, for the message of a failure. */
  readonly now?: () => unknown;
  /** Who is waited for: a failure shows what it printed, and its end ends the waiting. */
  readonly program?: Pick<RunningCommand, 'child' | 'output'>;
  readonly patienceMs?: number;
}

type Look<T> = () => T | Promise<T>;
type Named<T> = [what: string, look: Look<T>, options?: UntilOptions | undefined];
type Unnamed<T> = [look: Look<T>, options?: UntilOptions | undefined];
type Found<T> = Exclude<T, undefined | null | false>;

/**
 * Looks again and again until there is something to see, and answers it: the first value that is neither `undefined`, `null` nor `false`.
 * `what` completes the sentence "waited N s in vain until …"; without it that shows `look` itself. What `look` throws ends the waiting at once.
 */
export function until<T>(what: string, look: Look<T>, options?: UntilOptions): Promise<Found<T>>;
export function until<T>(look: Look<T>, options?: UntilOptions): Promise<Found<T>>;
export function until<T>(...given: Named<T> | Unnamed<T>): Promise<Found<T>> {
  if (isNamed(given)) return waitFor(...given);
  const [look, options] = given;
  return waitFor(String(look), look, options);
}

/** Tries again and again until `assertions` throw no more. After the deadline it throws what they threw last. */
export async function eventually<T>(assertions: Look<T>, options: UntilOptions = {}): Promise<T> {
  let last: unknown;
  const passed = async (): Promise<{ readonly value: T } | undefined> => {
    try {
      return { value: await assertions() };
    } catch (error) {
      last = error;
      return undefined;
    }
  };
  try {
    return (await waitFor('the assertions hold', passed, options)).value;
  } catch (error) {
    throw last ?? error;
  }
}

async function waitFor<T>(what: string, look: Look<T>, options: UntilOptions = {}): Promise<Found<T>> {
  const { now, program, patienceMs: patience = patienceMs } = options;
  const seen = now ?? program?.output;
  const begun = performance.now();
  for (let pause = 2; ; pause = Math.min(20, pause * 1.5)) {
    // Asked before looking: what came last is looked at once more.
    const isLate = performance.now() - begun > patience;
    const hasEnded = program !== undefined && (program.child.exitCode !== null || program.child.signalCode !== null);
    const found = await look();
    if (isThere(found)) return found;
    if (hasEnded) throw new Error(`the program ended and it is still not so: ${what}${told(seen)}`);
    if (isLate) throw new Error(`waited ${patience / 1000} s in vain until ${what}${told(seen)}`);
    await sleep(pause);
  }
}

function isNamed<T>(given: Named<T> | Unnamed<T>): given is Named<T> {
  return typeof given[0] === 'string';
}

function isThere<T>(value: T): value is Found<T> {
  return value !== undefined && value !== null && value !== false;
}

function told(now: (() => unknown) | undefined): string {
  if (now === undefined) return '';
  const seen = now();
  return `; now: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`;
}
