// How long a request waits for long work: no answer takes longer than a minute, because proxies and clients cut what does.
import { Problem } from './errors.ts';

/** After so long a request is answered that what it asked for goes on, in milliseconds. What it read and checked before counts. */
export const maxWaitMs = 45_000;

/** What comes of work that can be left alone, because nothing was changed by it yet. Rejects with `unavailable` where it takes too long. */
export async function inTime<T>(work: Promise<T>, what: string, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const detail = `${what}, because that takes too long now: nothing was changed, try again later.`;
    late.reject(new Problem('unavailable', { detail, headers: { 'retry-after': '30' } }));
  }, ms);
  // Nobody hears any more how it ends.
  work.catch(() => {});
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What comes of work that goes on in any case; nothing where it takes too long: then `onLate` hears of what it fails with. */
export async function unlessLate<T>(
  work: Promise<T>,
  ms: number,
  onLate: (reason: unknown) => void,
): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    work.catch(onLate);
    late.resolve(undefined);
  }, ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
