// What routes are about, by their parameters, for the policy; and what of it only teams with a feature have.
import type { Subject } from '../core/access/policy.ts';
import type { View } from '../core/model/view.ts';
import { type FeatureUse, featureLack } from '../core/rules/feature-required.ts';
import { Refused } from '../store/store.ts';
import type { Services } from './services.ts';

type Params = Readonly<Record<string, string>>;

/** The team `:id`, and the user `:userId` where there is one. */
export function teamSubject({ id = '', userId }: Params, view: View): Subject {
  return { team: view.get('Team', id), ...(userId === undefined ? {} : { user: userId }) };
}

/** The team with the slug `:slug`. */
export function slugSubject({ slug = '' }: Params, view: View): Subject {
  return { team: view.named('Team', slug) };
}

/** The team of the device `:id`. */
export function deviceSubject({ id = '' }: Params, view: View): Subject {
  const device = view.get('Device', id);
  return { team: device && view.get('Team', device.spec.team) };
}

/** The team of the device group `:id`. */
export function deviceGroupSubject({ id = '' }: Params, view: View): Subject {
  const group = view.get('DeviceGroup', id);
  return { team: group && view.get('Team', group.spec.team) };
}

/** The team of the instance `:id`. */
export function instanceSubject({ id = '' }: Params, view: View): Subject {
  const instance = view.get('Instance', id);
  return { team: instance && view.get('Team', instance.spec.team) };
}

/** The team of the snapshot `:id`. */
export function snapshotSubject({ id = '' }: Params, view: View): Subject {
  const snapshot = view.get('Snapshot', id);
  return { team: snapshot && view.get('Team', snapshot.spec.team) };
}

/** Throws `Refused` by the rule `feature-required` (409) where a feature has no effect for a team. */
export function requireFeature({ door }: Pick<Services, 'door'>, use: FeatureUse): void {
  const lack = featureLack(door.store.read(), door.facts(), use);
  if (lack) throw new Refused([lack]);
}
