// Binds an account to one person at a provider: an address that passes on to somebody else does not take the account along.
import type { Identity } from '../model/identity.ts';
import { printable } from '../model/printable.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** Why the account is not that of the person whom the provider proved; nothing where it may be. An id that was not told decides nothing. */
export function bindingProblem(
  user: Resource<'User'>,
  config: Config,
  { lastingIds = {} }: Identity,
): string | undefined {
  const bound = bindingOf(user, config);
  const given = bound && Object.hasOwn(lastingIds, bound.attribute) ? lastingIds[bound.attribute] : undefined;
  if (!bound || given === undefined || given === bound.id) return undefined;
  const { attribute, id } = bound;
  return `User/${user.name} belongs to somebody else at ${addressOf(config)}: its ${printable(attribute)} was ${printable(id)} at the first sign-in, and is ${printable(given)} now. Where the address has passed on to another person, give the account another address or delete it; where it is the same person, let the account be bound anew (PUT /api/v1/users/${user.id} with {"ssoBound": false})`;
}

/** Whether the account is bound to the very person whom the provider proved. */
export function isBound(user: Resource<'User'>, config: Config, { lastingIds = {} }: Identity): boolean {
  const known = bindingOf(user, config);
  return known !== undefined && Object.hasOwn(lastingIds, known.attribute) && lastingIds[known.attribute] === known.id;
}

/** The user, bound to the person whom the provider proved where they are not yet, and it told an id that lasts. */
export function bound(user: Resource<'User'>, config: Config, { lastingIds = {} }: Identity): Resource<'User'> {
  const [first] = Object.entries(lastingIds);
  if (!first || bindingOf(user, config)) return user;
  const [attribute, id] = first;
  const others = (user.spec.ssoBindings ?? []).slice(-(mostBindings - 1));
  return { ...user, spec: { ...user.spec, ssoBindings: [...others, { config: config.id, attribute, id }] } };
}

function bindingOf({ spec }: Resource<'User'>, { id }: Config) {
  return spec.ssoBindings?.find(({ config }) => config === id);
}

const mostBindings = 24;
