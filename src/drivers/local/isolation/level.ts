// The levels of isolation, and what a driver says of the one that is in force.
import type { InForce } from '../../driver.ts';

/** What keeps instances from each other and from Weir: nothing; a user of its own an instance; namespaces, and that user where Weir is root. */
export type Level = 'none' | 'user' | 'bwrap';

/** As `Platform.spec.driver` says it. */
export interface IsolationSetting {
  readonly isolation: Level | 'auto';
  /** The first of the user numbers that instances are given. */
  readonly firstUserId: number;
}

/** What can be had here of a level. */
export type Found = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly remedy: string };

const messages: Readonly<Record<Level, string>> = {
  none: 'instances run as the user of Weir: what flows of one team start can read the store, and all of the others',
  user: 'each instance runs as a user of its own, and cannot read the store or the files of others',
  bwrap:
    'each instance has namespaces of its own (bubblewrap), and sees neither the store nor the files and processes of others',
};

/** What is said of a level; `limited` where control groups bound what instances use, too. */
export function inForceAt(
  level: Level,
  { limited = false, lacking }: { limited?: boolean; lacking?: string } = {},
): InForce {
  const reason = level === 'none' ? 'None' : level === 'user' ? 'User' : limited ? 'Cgroup' : 'Namespace';
  const bounds = limited ? '; control groups bound their memory, processes and processor time' : '';
  return { level, reason, message: `${messages[level]}${bounds}${lacking === undefined ? '' : `. ${lacking}`}` };
}
