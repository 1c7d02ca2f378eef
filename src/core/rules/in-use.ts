// in-use: what teams and instances depend on cannot be deleted.
import { countReferrers } from '../model/view.ts';
import { counted, type Rule, removed, violation } from './rule.ts';

const users = [
  { kind: 'TeamType', by: 'Team', noun: 'team', verb: 'are of this type' },
  { kind: 'InstanceType', by: 'Instance', noun: 'instance', verb: 'are of this type' },
  { kind: 'Template', by: 'Instance', noun: 'instance', verb: 'are made from it' },
] as const;

export const inUse: Rule = {
  id: 'in-use',
  refuses: 'deleting a team type with teams, an instance type or template with instances',
  *check(batch) {
    for (const { kind, by, noun, verb } of users)
      for (const { before } of removed(batch, kind)) {
        const count = countReferrers(batch.after, by, before);
        const clause = `${counted(count, noun)} ${count === 1 ? verb.replace('are', 'is') : verb}`;
        if (count > 0)
          yield violation(
            'in-use',
            before,
            '',
            `cannot be deleted, because ${clause}: set "active: false" to end its use`,
          );
      }
  },
};
