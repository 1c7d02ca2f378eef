// Rows of the access matrix: what each kind of credential gets.
import type { Credential } from './world.ts';

/** What each credential gets; `open` is anything but 401 and 403. */
export type Row = Readonly<Record<Credential, 'open' | 401 | 403 | 404>>;

const nobody = { none: 401, garbage: 401, revoked: 401, expired: 401, suspended: 401 } as const;
const narrow = { planOfUser: 403, plan: 403, statistics: 403, device: 403, provisioning: 403 } as const;
const roles = <const T>(gets: T) => ({ owner: gets, member: gets, viewer: gets, dashboard: gets, otherOwner: gets });
export const everybody: Row = {
  none: 'open',
  garbage: 'open',
  revoked: 'open',
  expired: 'open',
  suspended: 'open',
  planOfUser: 'open',
  plan: 'open',
  statistics: 'open',
  device: 'open',
  provisioning: 'open',
  user: 'open',
  ...roles('open'),
  admin: 'open',
};
export const anyUser: Row = { ...nobody, ...narrow, user: 'open', ...roles('open'), admin: 'open' };
export const anyUserAndPlanTokens: Row = { ...anyUser, planOfUser: 'open', plan: 'open' };
export const admins: Row = { ...nobody, ...narrow, user: 403, ...roles(403), admin: 'open' };
export const adminsAndScrapers: Row = { ...admins, statistics: 'open' };
export const adminsAndTheirPlanTokens: Row = { ...admins, plan: 'open' };
/** By roles in the team that the route is about; for everybody else there is no such team. */
const team = (may: { readonly [R in 'owner' | 'member' | 'viewer' | 'dashboard']: 'open' | 403 }): Row => ({
  ...nobody,
  ...narrow,
  user: 404,
  ...may,
  otherOwner: 404,
  admin: 'open',
});
export const everyRole = team({ owner: 'open', member: 'open', viewer: 'open', dashboard: 'open' });
export const insiders = team({ owner: 'open', member: 'open', viewer: 'open', dashboard: 403 });
export const editors = team({ owner: 'open', member: 'open', viewer: 403, dashboard: 403 });
export const owners = team({ owner: 'open', member: 403, viewer: 403, dashboard: 403 });
/** Only by a session: a token has the wrong form for it, whoever holds it. */
export const sessionsOnly: Row = { ...nobody, ...narrow, user: 403, ...roles(403), admin: 403 };
/** Only by the token of a device; and only by a provisioning token. */
export const devicesOnly: Row = { ...sessionsOnly, device: 'open' };
export const machinesOnly: Row = { ...sessionsOnly, provisioning: 'open' };
