// slug-unique: no two teams share a slug, whatever the case of the letters: groups of identity providers name teams by it (specification 2.9).
import { nameKey } from '../model/view.ts';
import { type Rule, violation, written } from './rule.ts';

export const slugUnique: Rule = {
  id: 'slug-unique',
  refuses: 'two teams with one slug, whatever the case of its letters',
  perChange: true,
  *check(batch) {
    for (const { after } of written(batch, 'Team')) {
      if (batch.after.countHaving('Team', nameKey(after.name)) === 1) continue;
      const what = `slug cannot be ${after.name}, because another team has it: choose another slug`;
      yield violation('slug-unique', after, '/slug', what);
    }
  },
};
