// What the groups of somebody make of them at a sign-in: their places in teams and the admin flag, with the reason of each (specification 2.9).
import { activeAdmin } from '../kinds/user.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Explained } from './explained.ts';
import { type GivenGroup, givenGroups } from './given-groups.ts';
import { type Placement, placements } from './memberships.ts';
import { shownName } from './shown-name.ts';

type Config = DeclaredResource<'SsoConfig'>;

/**
 * Who signs in, as they are to be but for their groups: a new user need not be in the state. `groups` as the provider gave them; absent where it
 * told none at all.
 */
export interface Signing {
  readonly config: Config;
  readonly user: Resource<'User'>;
  readonly groups: readonly string[] | undefined;
  /** The names of the attributes that came where that of groups did not. */
  readonly otherAttributes?: readonly string[] | undefined;
}

/** The places that change, the admin flag as it is to be, and a word on everything: `admin` on the flag, `others` on what does not change. */
export interface Decided {
  readonly placements: readonly Placement[];
  readonly isAdmin: boolean;
  readonly admin: readonly Explained[];
  readonly others: readonly Explained[];
}

/**
 * Decides. With the scope `all` groups are the only way into any team: whoever lacks a team's group leaves it, also where somebody invited them,
 * because otherwise a group that is taken from somebody would leave what was given beside it. A team of one's own stays by the rule of the last
 * owner. Groups that were not told change nothing, unless the configuration takes them for none (`missing: remove`).
 */
export function decideByGroups({ config, user, groups, otherAttributes }: Signing, view: View, now: string): Decided {
  const { manageRoles, adminGroup, missing } = config.spec.groups;
  const isUntold = groups === undefined && (manageRoles || adminGroup !== undefined);
  // A record that an older version wrote has no word on it.
  if (isUntold && missing !== 'remove')
    return { placements: [], isAdmin: user.spec.admin, admin: [], others: [notTold(config, otherAttributes)] };
  const given = givenGroups(config, groups ?? []);
  const untold = isUntold ? [notTold(config, otherAttributes)] : [];
  const flag = adminFlag(view, config, user, given);
  const placed = manageRoles ? placements({ view, config, user, groups: given, now }) : unmanaged(config);
  return { placements: placed.placements, ...flag, others: [...untold, ...placed.others] };
}

function notTold({ spec }: Config, others: readonly string[] | undefined): Explained {
  const what =
    spec.provider === 'saml'
      ? `the identity provider sent no attribute ${shownName(spec.saml?.groupAssertionName ?? 'svc-roles')}${namesOf(others)}`
      : 'the directory told no groups';
  const outcome =
    spec.groups.missing === 'remove'
      ? 'that no group gives a role or the admin flag, as groups.missing says'
      : 'memberships and the admin flag stay as they are (groups.missing: keep)';
  const mend =
    spec.provider === 'saml' ? ': have it sent, or write the name that it has there as saml.groupAssertionName' : '';
  const message = `${what}, so ${outcome}${mend}`;
  return { about: 'group', effect: 'none', reason: 'no-group-attribute', message };
}

/** What came instead: the name in the configuration may be another spelling of one of these. */
function namesOf(others: readonly string[] | undefined): string {
  if (others === undefined) return '';
  return others.length === 0 ? ' (and no other)' : ` (but ${others.map(shownName).join(', ')})`;
}

function unmanaged(config: Config): {
  readonly placements: readonly Placement[];
  readonly others: readonly Explained[];
} {
  const message = `memberships stay as they are, because groups.manageRoles is off in ${addressOf(config)}`;
  return { placements: [], others: [{ about: 'team', effect: 'none', reason: 'roles-not-managed', message }] };
}

/** The flag follows one group where the configuration names it; the only active admin keeps it (specification 2.8). */
function adminFlag(
  view: View,
  { spec }: Config,
  user: Resource<'User'>,
  groups: readonly GivenGroup[],
): Pick<Decided, 'isAdmin' | 'admin'> {
  const { adminGroup } = spec.groups;
  const { admin: isAdmin, suspended } = user.spec;
  if (adminGroup === undefined) return { isAdmin, admin: [] };
  const own = groups.find(({ name }) => name === adminGroup);
  const shown = shownName(own?.given ?? adminGroup);
  const told = (now: boolean, effect: Explained['effect'], reason: Explained['reason'], message: string) => {
    const about = { about: 'admin', effect, reason, message, group: own?.given ?? adminGroup } as const;
    return { isAdmin: now, admin: [about] };
  };
  if (own && isAdmin) return told(true, 'none', 'as-it-was', `stays an admin, because of the group ${shown}`);
  if (own) return told(true, 'update', 'admin-group', `becomes an admin, because of the group ${shown}`);
  if (!isAdmin)
    return told(false, 'none', 'not-in-admin-group', `is no admin, because they are not in the group ${shown}`);
  const isLast = !suspended && view.countHaving('User', activeAdmin) === 1;
  if (isLast)
    return told(
      true,
      'none',
      'last-admin',
      `stays an admin although they are not in the group ${shown}, because no other active admin would be left`,
    );
  return told(false, 'update', 'not-in-admin-group', `is an admin no more, because they are not in the group ${shown}`);
}
