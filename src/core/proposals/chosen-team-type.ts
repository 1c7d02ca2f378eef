// The type that somebody chooses for a team, by its name (specification 2.3).
import { addressOf } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';

/**
 * The id of the type. A name that nothing has stands for itself, so that the rule `references` names it; of an inactive one speaks `inactive`.
 * Declines (`forbidden`) a type that only admins give, where `by` (the id of a user) is none.
 */
export function chosenTeamType(view: View, name: string, by: string): string {
  const type = view.named('TeamType', name);
  if (type?.name !== name) return name;
  if (type.spec.selfService || !type.spec.active || view.get('User', by)?.spec.admin) return type.id;
  throw new Declined(
    'forbidden',
    `${addressOf(type)} cannot be chosen, because only admins give it to a team ("selfService: false"): choose another type, or ask an admin`,
  );
}
