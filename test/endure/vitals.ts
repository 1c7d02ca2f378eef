// What a life of the server takes of the machine, second by second: memory and open handles, and whether both stay flat.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Usage, usageOf } from '../support/process-usage.ts';
import { inspect } from './live-memory.ts';
import type { Life } from './world.ts';

/** One look. */
interface Sample extends Usage {
  readonly at: number;
  /** What is left once all garbage was collected; nothing where it was not looked at. */
  readonly liveBytes: number | undefined;
}

/** The middle of each third of something. */
export type Thirds = readonly [number, number, number];

export interface Vitals {
  readonly seconds: number;
  /** What is alive in it. */
  readonly liveMb: Thirds | undefined;
  /** What the system has given to it, once it is warm; nothing where it did not live so long. */
  readonly residentMb: Thirds | undefined;
  readonly handles: Thirds;
}

export interface Monitor {
  /** Ends it; nothing where this system does not say. */
  stop(): Promise<Vitals | undefined>;
}

/**
 * For so long, in milliseconds, V8 gives a busy process more and more room between two collections, whatever is alive in it: under the load of a run
 * the resident memory grows by a third within 90 s, and stays for minutes.
 */
export const warmMs = 100_000;

/** All garbage is collected every so many seconds: each time the process stands still for a tenth of a second. */
const everySeconds = 5;

/** Watches a process, once a second. */
export function watchVitals(life: Life): Monitor {
  const samples: Sample[] = [];
  let going = true;
  const watching = (async () => {
    const inspector = await inspect(life);
    for (let second = 0; going; second += 1) {
      const liveBytes = second % everySeconds === 0 ? await inspector?.liveBytes().catch(() => undefined) : undefined;
      const usage = usageOf(life.pid);
      if (usage) samples.push({ at: performance.now(), liveBytes, ...usage });
      await sleep(1_000);
    }
    inspector?.close();
  })();
  return {
    stop: async () => {
      going = false;
      await watching;
      return samples.length < 9 ? undefined : vitalsOf(samples);
    },
  };
}

/** What of it is not flat, in words: more than 5 % and 8 MB of memory, or more than a few handles, from the second third to the last. */
export function growth({ liveMb, residentMb, handles: [, before, after] }: Vitals): string[] {
  const mostHandles = before + 5;
  return [
    ...grown('what is alive in memory', liveMb),
    ...grown('memory', residentMb),
    ...(after > mostHandles ? [`open handles grew from ${before} to ${after} (at most ${mostHandles})`] : []),
  ];
}

function grown(what: string, thirds: Thirds | undefined): string[] {
  if (!thirds) return [];
  const [, second, last] = thirds;
  const most = second * 1.05 + 8;
  return last > most
    ? [`${what} grew from ${second.toFixed()} to ${last.toFixed()} MB (at most ${most.toFixed()})`]
    : [];
}

function vitalsOf(samples: readonly Sample[]): Vitals {
  const [first, last] = [samples[0]?.at ?? 0, samples.at(-1)?.at ?? 0];
  const warm = samples.filter(({ at }) => at - first >= warmMs);
  return {
    seconds: (last - first) / 1_000,
    liveMb: middles(samples.flatMap(({ liveBytes }) => (liveBytes === undefined ? [] : [liveBytes / 1e6]))),
    residentMb: middles(warm.map(({ residentBytes }) => residentBytes / 1e6)),
    handles: middles(samples.map(({ handles }) => handles)) ?? [0, 0, 0],
  };
}

/** Nothing of too few figures. */
function middles(figures: readonly number[]): Thirds | undefined {
  if (figures.length < 6) return undefined;
  const third = figures.length / 3;
  const middleOf = (part: number) => middle(figures.slice(Math.round(part * third), Math.round((part + 1) * third)));
  return [middleOf(0), middleOf(1), middleOf(2)];
}

function middle(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}
