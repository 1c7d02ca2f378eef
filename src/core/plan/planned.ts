// What a plan is made of.
import type { DeclaredKindName } from '../kinds/index.ts';
import type { Change } from '../model/change.ts';
import type { Desired } from './desired.ts';

/** What happens to a resource, in a plan's words. */
export type Action = 'create' | 'update' | 'delete' | 'rename' | 'adopt';

/** One planned change. `quiet` ones alter nothing that anybody declared: they are executed, but not shown. */
export interface Planned {
  readonly action: Action;
  readonly change: Change<DeclaredKindName>;
  readonly quiet: boolean;
  readonly desired?: Desired;
}

/** The changes that a tree wants of a state, in the order in which they can be understood. */
export interface Plan {
  readonly planned: readonly Planned[];
  readonly unchanged: number;
}
