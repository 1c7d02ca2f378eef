// Slows the network from which many wrong passwords come, for whichever accounts: whoever tries a few for each of very many stays below the lock of every one.
import { networkOf } from '../core/model/network.ts';
import { putNewest } from '../lib/put-newest.ts';
import { Problem } from './errors.ts';
import type { Taken } from './quota.ts';

/** Counted by this process alone: another one counts anew. */
export interface WrongPasswords {
  /**
   * Takes one at once, before a password is looked at; who gave the right one gives it back. A network has as many as `perMinute` says for two minutes,
   * and gets a tenth of that back each minute; 0 is no limit. `now` is RFC 3339. Throws `rate_limited`.
   */
  take(address: string, perMinute: number, now: string): Taken;
}

/** For how many minutes a network may go at full speed, and how many times as slowly from then on. */
const fullMinutes = 2;
const slower = 10;

/** Who waits as long as they were told has one then, whatever was lost by counting in fractions. */
const rounding = 1e-6;

/** It remembers the newest `networks`. */
export function createWrongPasswords(networks = 10_000): WrongPasswords {
  const spent = new Map<string, { count: number; at: number }>();
  return {
    take: (address, perMinute, time) => {
      if (perMinute === 0) return { giveBack: () => {} };
      const [network, now] = [networkOf(address), Date.parse(time)];
      const known = spent.get(network) ?? { count: 0, at: now };
      const oneBackMs = (60_000 * slower) / perMinute;
      // A clock that was set back gives nothing back, and takes nothing.
      known.count = Math.max(0, known.count - Math.max(0, now - known.at) / oneBackMs);
      known.at = now;
      const left = perMinute * fullMinutes - known.count;
      if (left < 1 - rounding) throw tooMany(Math.ceil(((1 - left) * oneBackMs) / 1000 - rounding));
      known.count += 1;
      putNewest(spent, network, known, networks);
      return {
        giveBack: () => {
          known.count = Math.max(0, known.count - 1);
        },
      };
    },
  };
}

function tooMany(seconds: number): Problem {
  return new Problem('rate_limited', {
    detail: `Very many wrong passwords came from your network, so it has to wait between two tries: try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  });
}
