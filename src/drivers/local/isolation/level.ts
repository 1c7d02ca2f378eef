// The levels of isolation, and what a driver says of the one that is in force.
import type { InForce } from '../../driver.ts';
import type { Bound } from '../control-group-places.ts';

/** What keeps instances from each other and from Weir: nothing; a user of its own an instance; namespaces, and that user where Weir is root. */
export type Level = 'none' | 'user' | 'bwrap';

/** As `Platform.spec.driver` says it. */
export interface IsolationSetting {
  readonly isolation: Level | 'auto';
  /** The first of the user numbers that instances are given. */
  readonly firstUserId: number;
}

/** Where nothing is said. */
export const unisolated: IsolationSetting = { isolation: 'none', firstUserId: 200_000 };

/** What can be had here of a level. */
export type Found = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly remedy: string };

const messages: Readonly<Record<Level, string>> = {
  none: 'instances run as the user of Weir: what flows of one team start can read the store, and all of the others',
  user: 'each instance runs as a user of its own, and cannot read the store or the files of others',
  bwrap:
    'each instance has namespaces of its own (bubblewrap), and sees neither the store nor the files and processes of others',
};

/** What is said of a level, and of what control groups bound there. */
export function inForceAt(
  level: Level,
  { bounds, lacking }: { readonly bounds: ReadonlySet<Bound>; readonly lacking?: string | undefined },
): InForce {
  const isLimited = bounds.has('memory') && bounds.has('tasks');
  const reason = level === 'none' ? 'None' : level === 'user' ? 'User' : isLimited ? 'Cgroup' : 'Namespace';
  const limits = { isComplete: isLimited, message: boundsMessage(bounds) };
  const sentences = (...said: readonly (string | undefined)[]) => said.filter((one) => one !== undefined).join('. ');
  const message = sentences(messages[level], limits.message, lacking);
  return { level, reason, message, separation: sentences(messages[level], lacking), limits };
}

const nouns: Readonly<Record<Bound, string>> = { memory: 'memory', tasks: 'processes' };

function boundsMessage(bounds: ReadonlySet<Bound>): string {
  const [held, open] = [true, false].map((isHeld) =>
    Object.entries(nouns).flatMap(([bound, noun]) =>
      [...bounds].some((one) => one === bound) === isHeld ? [noun] : [],
    ),
  );
  const said = held?.length ? `Control groups bound their ${held.join(' and ')}` : '';
  const measured = open?.length
    ? `No control group bounds their ${open.join(' and ')}: Weir measures that every two seconds, and ends what is over`
    : '';
  return [said, measured].filter(Boolean).join('. ');
}
