// What a planned change is for, also where a rule blocks it.
import type { PlannedChange } from './plan-document.ts';

export type Action = Exclude<PlannedChange['action'], 'blocked'>;

/** What a change does, or would do if it were not blocked. */
export function wantedAction(change: PlannedChange): Action {
  if (change.action !== 'blocked') return change.action;
  if ('absent' in change.precondition) return 'create';
  const own = change.fields.filter(({ path }) => !path.startsWith('/lifecycle/'));
  if (!change.source && own.every(({ after }) => after === null)) return 'delete';
  if (change.previousAddress !== undefined) return 'rename';
  return change.fields.some(({ path, before }) => path === '/status/managedBy' && before === 'api')
    ? 'adopt'
    : 'update';
}
