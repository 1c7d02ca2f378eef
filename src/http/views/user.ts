// How a user looks in answers.
import { z } from 'zod';
import type { Caller } from '../../core/access/actor.ts';
import { type Action, actionsOn } from '../../core/access/policy.ts';
import type { Resource } from '../../core/model/resource.ts';
import { activeSsoOf } from '../../core/model/sso.ts';
import type { View } from '../../core/model/view.ts';
import { pendingEmail } from '../../core/proposals/update-self.ts';
import { component } from '../json-schema.ts';
import { idView, instantView } from './values.ts';

const fields = {
  id: idView(),
  username: z.string().describe('What the user signs in as, unique.'),
  email: z.string().describe('The email address, unique, in lower case.'),
  name: z.string().describe('The name that people read.'),
  admin: z.boolean().describe('Whether the user has full access to the platform.'),
  suspended: z.boolean().describe('Whether the user is shut out.'),
  ssoManaged: z.boolean().describe('Whether the domain of the address has an active single sign-on configuration.'),
  ssoBound: z
    .boolean()
    .describe('Whether the account belongs to one person at a provider of single sign-on, since their first sign-in.'),
  createdAt: instantView('When the user was made.'),
  lastSignInAt: z.string().nullable().describe('When the user last signed in; null for never.'),
};

/** A user. */
export const userView = component('User', z.strictObject(fields));

/** The user who asks. */
export const selfView = component(
  'Self',
  z.strictObject({
    ...fields,
    emailVerified: z.boolean().describe('Whether the address is known to be the user’s.'),
    pendingEmail: z
      .string()
      .nullable()
      .describe('The address that takes its place once the link that was sent there is opened; null for none.'),
    can: z.array(z.string()).describe('What the user may do, by the credential that asked.'),
  }),
);

/** A user as answered. */
export function shownUser(user: Resource<'User'>, view: View): z.output<typeof userView> {
  const { id, name: username, createdAt, spec } = user;
  const { email, displayName: name, admin, suspended, lastSignInAt } = spec;
  return {
    id,
    username,
    email,
    name,
    admin,
    suspended,
    ssoManaged: isSsoManaged(user, view),
    ssoBound: (spec.ssoBindings ?? []).length > 0,
    createdAt,
    lastSignInAt: lastSignInAt ?? null,
  };
}

/** The user who asks, as answered. `now`: RFC 3339. */
export function shownSelf(user: Resource<'User'>, caller: Caller, view: View, now: string): z.output<typeof selfView> {
  const can: Action[] = actionsOn('user', caller, view);
  const { emailVerified } = user.spec;
  return { ...shownUser(user, view), emailVerified, pendingEmail: pendingEmail(view, user, now) ?? null, can };
}

/** Whether the user's domain signs in through single sign-on (specification 2.8). */
export function isSsoManaged({ spec }: Resource<'User'>, view: View): boolean {
  return activeSsoOf(view, spec.email) !== undefined;
}

/** What If-Match looks at. */
export function userVersion({ id, generation }: Resource<'User'>): string {
  return `${id}.${generation}`;
}

/** A user in an example. */
export const exampleUser: z.output<typeof userView> = {
  id: '4fVh2cQ8zT1mXr9LkPw3Ns',
  username: 'ann',
  email: 'ann@example.com',
  name: 'Ann Example',
  admin: false,
  suspended: false,
  ssoManaged: false,
  ssoBound: false,
  createdAt: '2026-11-21T10:00:00.000Z',
  lastSignInAt: null,
};
