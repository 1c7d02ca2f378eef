// A small platform with single sign-on: teams, people and places in teams as literals.
import { roles } from '../../../src/core/kinds/roles.ts';
import type { DeclaredResource, Resource } from '../../../src/core/model/resource.ts';
import { type Accounts, accounts, declared, living, person } from '../proposals/accounts-world.ts';

export const enterprise = declared('Platform', 'platform', { licence: 'enterprise' });

/** Without limits; `small` takes two members. */
export const types = [declared('TeamType', 'free', {}), declared('TeamType', 'small', { limits: { members: 2 } })];

/** The active configuration of `corp.example`. */
export function corp(groups: object = {}, spec: object = {}): DeclaredResource<'SsoConfig'> {
  const own = { emailDomain: 'corp.example', provider: 'saml', active: true };
  const made = declared('SsoConfig', 'corp', { ...own, groups: { manageRoles: true, ...groups }, ...spec });
  return { ...made, managedBy: 'api' };
}

export function team(slug: string, type = 'free'): Resource<'Team'> {
  return living('Team', slug, { displayName: slug, type: `TeamType-${type}` });
}

/** `olga owner core`: a place in a team. With `sso` behind it groups keep it up. */
export function place(words: string): Resource<'Membership'> {
  const [user = '', role = '', of = '', sso] = words.split(' ');
  return living('Membership', `${of}-${user}`, { team: of, user, role, ssoManaged: sso === 'sso' });
}

/** Somebody of the domain. */
export function colleague(name: string, spec: object = {}): Resource<'User'> {
  return person(name, { email: `${name}@corp.example`, ...spec });
}

/** The teams `core`, `ops` and `lab` with owners of their own, an admin, and whatever else. */
export function platform(config: DeclaredResource<'SsoConfig'>, ...more: readonly Resource[]): Accounts {
  const owners = [person('root', { admin: true }), person('olga')];
  const teams = ['core', 'ops', 'lab'].map((slug) => team(slug));
  const places = ['core', 'ops', 'lab'].map((slug) => place(`olga owner ${slug}`));
  return accounts(enterprise, ...types, config, ...owners, ...teams, ...places, ...more);
}

/** Where a user is, as `core:owner`, with `*` where groups keep it up. */
export function placesOf({ state }: Accounts, user: string): readonly string[] {
  return [...state.all('Membership')]
    .filter(({ spec }) => spec.user === user)
    .map(({ spec }) => `${state.get('Team', spec.team)?.name}:${spec.role}${spec.ssoManaged ? '*' : ''}`)
    .sort();
}

/** Every group that could give something in these teams. */
export function groupsFor(slugs: readonly string[]): readonly string[] {
  return slugs.flatMap((slug) => roles.map((role) => `svc-${slug}-${role}`));
}
