// What a plan is made of.
import type { DeclaredKindName, KindName } from '../kinds/index.ts';
import type { Change } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import type { Desired } from './desired.ts';

/** What happens to a resource, in a plan's words. */
export type Action = 'create' | 'update' | 'delete' | 'rename' | 'adopt';

/** One planned change. `quiet` ones alter nothing that anybody declared: they are executed, but not shown. */
export interface Planned<K extends KindName = DeclaredKindName> {
  readonly action: Action;
  readonly change: Change<K>;
  readonly quiet: boolean;
  readonly desired?: Desired;
  /** Nothing for `source`. */
  readonly cause?: 'drift';
}

/** The changes that a tree wants of a state, in the order in which they can be understood. */
export interface Plan<K extends KindName = DeclaredKindName> {
  readonly planned: readonly Planned<K>[];
  readonly unchanged: number;
  /** What drifted and is left as it is: not done, only told. */
  readonly left?: readonly Planned<K>[];
  /** What of the tree cannot be followed in this state: with it nothing is done. */
  readonly problems?: readonly Finding[];
}
