// What a life of the server takes of the machine, second by second: memory and open handles, and whether both stay flat.
import { type Usage, usageOf } from '../support/process-usage.ts';

/** One look. */
interface Sample extends Usage {
  readonly at: number;
}

/** The middle of each third of a life. */
export interface Vitals {
  readonly seconds: number;
  readonly residentMb: readonly [number, number, number];
  readonly handles: readonly [number, number, number];
}

export interface Monitor {
  /** Ends it; nothing where this system does not say. */
  stop(): Vitals | undefined;
}

/** Watches a process, once a second. */
export function watchVitals(pid: number): Monitor {
  const samples: Sample[] = [];
  const timer = setInterval(() => {
    const usage = usageOf(pid);
    if (usage) samples.push({ at: performance.now(), ...usage });
  }, 1_000);
  return {
    stop: () => {
      clearInterval(timer);
      return samples.length < 9 ? undefined : vitalsOf(samples);
    },
  };
}

/** What of it is not flat, in words: more than 5 % and 8 MB of memory, or more than a few handles, from the second third to the last. */
export function growth({ residentMb: [, second, last], handles: [, before, after] }: Vitals): string[] {
  const [most, mostHandles] = [second * 1.05 + 8, before + 5];
  return [
    ...(last > most
      ? [`memory grew from ${second.toFixed()} to ${last.toFixed()} MB (at most ${most.toFixed()})`]
      : []),
    ...(after > mostHandles ? [`open handles grew from ${before} to ${after} (at most ${mostHandles})`] : []),
  ];
}

function vitalsOf(samples: readonly Sample[]): Vitals {
  const third = samples.length / 3;
  const parts = [0, 1, 2].map((part) => samples.slice(Math.round(part * third), Math.round((part + 1) * third)));
  const middles = (of: (sample: Sample) => number) =>
    parts.map((part) => middle(part.map(of))) as unknown as [number, number, number];
  const [first, last] = [samples[0], samples.at(-1)];
  return {
    seconds: ((last?.at ?? 0) - (first?.at ?? 0)) / 1_000,
    residentMb: middles(({ residentBytes }) => residentBytes / 1e6),
    handles: middles(({ handles }) => handles),
  };
}

function middle(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}
