// Who may come in, and how far: into the editor, to the endpoints, or not at all.
import { anonymous, type Caller } from '../../core/access/actor.ts';
import { type Action, decide } from '../../core/access/policy.ts';
import type { View } from '../../core/model/view.ts';
import type { Standing } from './standing.ts';

/** What somebody may do in an instance. */
export interface Entry {
  /** Nothing where there is no editor for them. */
  readonly editor: 'write' | 'read' | undefined;
  /** Whether endpoints and dashboards answer them. */
  readonly endpoints: boolean;
  /** Whether they may know how the instance stands. */
  readonly insider: boolean;
  /** Whether they would have an editor, were it not closed by protection. */
  readonly isShutOut: boolean;
}

/** What a caller may do in an instance (specification 2.3). */
export function entryFor(caller: Caller, { team, isForTeam, isProtected }: Standing, view: View): Entry {
  if (caller === anonymous) return isForTeam ? nobody : passer;
  const may = (action: Action) => decide(action, caller, view, { team }) === 'allowed';
  const insider = may('view-flows');
  const editor = may('edit-flows') ? 'write' : insider ? 'read' : undefined;
  return {
    editor: isProtected ? undefined : editor,
    endpoints: !isForTeam || may('use-endpoints'),
    insider,
    isShutOut: isProtected && editor !== undefined,
  };
}

const passer: Entry = { editor: undefined, endpoints: true, insider: false, isShutOut: false };
const nobody: Entry = { ...passer, endpoints: false };
