// What routes are about, by their parameters, for the policy.
import type { Subject } from '../core/access/policy.ts';
import type { View } from '../core/model/view.ts';

type Params = Readonly<Record<string, string>>;

/** The team `:id`, and the user `:userId` where there is one. */
export function teamSubject({ id = '', userId }: Params, view: View): Subject {
  return { team: view.get('Team', id), ...(userId === undefined ? {} : { user: userId }) };
}

/** The team with the slug `:slug`. */
export function slugSubject({ slug = '' }: Params, view: View): Subject {
  return { team: view.named('Team', slug) };
}

/** The team of the instance `:id`. */
export function instanceSubject({ id = '' }: Params, view: View): Subject {
  const instance = view.get('Instance', id);
  return { team: instance && view.get('Team', instance.spec.team) };
}
