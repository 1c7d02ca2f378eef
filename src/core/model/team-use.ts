// How much a team has of what its type limits, counted without looking at any of it.
import { teamTypeKey } from '../kinds/instance.ts';
import { referenceKey } from './references.ts';
import type { View } from './view.ts';

/** What a team has. An invitation takes the place of the member that it may become. */
export interface TeamUse {
  readonly members: number;
  readonly invitations: number;
  readonly instances: number;
  readonly devices: number;
}

/** What a team has, by its id; nothing of each where there is no such team. */
export function teamUse(view: View, team: string): TeamUse {
  const key = referenceKey({ kind: 'Team', by: 'id', to: team });
  return {
    members: view.countHaving('Membership', key),
    invitations: view.countHaving('Invitation', key),
    instances: view.countHaving('Instance', key),
    devices: view.countHaving('Device', key),
  };
}

/** How many instances of a type a team has, by their ids. */
export function instancesOfType(view: View, team: string, instanceType: string): number {
  return view.countHaving('Instance', teamTypeKey(team, instanceType));
}
