// Waiting in tests: for what is meant, by one deadline that only failure reaches, however busy the machine is.
import { setTimeout as sleep } from 'node:timers/promises';

/** How long anything that must come is waited for, in milliseconds. */
export const patienceMs = 60_000;

export interface UntilOptions {
  /** What there is to see instead, for the message of a failure. */
  readonly now?: () => unknown;
  readonly patienceMs?: number;
}

/**
 * Looks again and again until there is something to see, and answers it: the first value that is neither `undefined`, `null` nor `false`.
 * `what` completes the sentence "waited N s in vain until …". What `look` throws ends the waiting at once.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const { now, patienceMs: patience = patienceMs } = options;
  const begun = performance.now();
  for (let pause = 2; ; pause = Math.min(50, pause * 1.5)) {
    const late = performance.now() - begun > patience;
    const found = await look();
    if (isThere(found)) return found;
    if (late) throw new Error(`waited ${patience / 1000} s in vain until ${what}${told(now)}`);
    await sleep(pause);
  }
}

/** Tries again and again until `assertions` throw no more. After the deadline it throws what they threw last. */
export async function eventually<T>(
  assertions: () => T | Promise<T>,
  options: Pick<UntilOptions, 'patienceMs'> = {},
): Promise<T> {
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
    return (await until('the assertions hold', passed, options)).value;
  } catch {
    throw last;
  }
}

function isThere<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false;
}

function told(now: (() => unknown) | undefined): string {
  if (now === undefined) return '';
  const seen = now();
  return `; now: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`;
}
