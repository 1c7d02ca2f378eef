// All users, for admins: listed, added, changed, shut out, deleted.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import type { Caller } from '../../core/access/actor.ts';
import { text } from '../../core/kinds/scalars.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { createUser } from '../../core/proposals/create-user.ts';
import { deleteUser } from '../../core/proposals/delete-user.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { updateUser } from '../../core/proposals/update-user.ts';
import { mailUndo } from '../account-mails.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { component, describedAs } from '../json-schema.ts';
import { pageOfMany } from '../long-list.ts';
import { hashOfNew, passwordOwner } from '../new-password.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, madeHeaders, type Reply, type Route, writtenHeaders } from '../route.ts';
import { emailField, nameField, newPasswordField, usernameField } from '../user-fields.ts';
import { planView } from '../views/config.ts';
import { exampleUser, isSsoManaged, shownUser, userVersion, userView } from '../views/user.ts';
import { emptyAnswer, write } from '../write.ts';

const url = '/api/v1/users';
const tag = 'users';
const reading = { action: 'read-users', tag } as const;
const params = z.strictObject({ id: z.string().min(1).max(64).describe('The id of the user.') });
const example = () => exampleUser;

const filter = (description: string) =>
  describedAs(
    z
      .enum(['true', 'false'])
      .transform((word) => word === 'true')
      .optional(),
    { type: 'boolean' },
  ).describe(description);

const filters = {
  admin: filter('Only admins, or only others.'),
  suspended: filter('Only users who are shut out, or only others.'),
  ssoManaged: filter('Only users whose domain signs in through single sign-on, or only others.'),
};

const list = defineRoute({
  ...reading,
  method: 'GET',
  url,
  operationId: 'listUsers',
  summary: 'List users',
  description:
    'In the order in which they were made, unless `sort` says otherwise. `q` looks at usernames, addresses and names.',
  query: z.strictObject({
    ...pageQuery,
    ...searchQuery,
    ...sortQuery(['username', 'email', 'name', 'createdAt', 'lastSignInAt']),
    ...filters,
  }),
  answers: {
    200: {
      description: 'A page of users.',
      schema: listView('users', userView),
      example: () => ({ meta: {}, count: 1, users: [exampleUser] }),
    },
  },
  handle: ({ services, query }) => {
    const view = services.door.store.read();
    const { limit, cursor, sort } = query;
    const keyOf = (user: Resource<'User'>) => sortValue(user, (sort ?? '').replace('-', ''));
    const page = pageOfMany(view, 'User', { limit, cursor, sort, keyOf, matches: matching(view, query) });
    return { body: listBody('users', page, (user) => shownUser(user, view)) };
  },
});

const get = defineRoute({
  ...reading,
  method: 'GET',
  url: `${url}/:id`,
  operationId: 'getUser',
  summary: 'Read a user',
  description: 'One user, whoever it is.',
  params,
  answers: { 200: { description: 'The user.', schema: userView, example } },
  handle: ({ services, params: { id } }) => shown(services.door.store.read(), id),
});

const create = defineRoute({
  action: 'create-user',
  tag,
  method: 'POST',
  url,
  creates: 'User',
  operationId: 'createUser',
  summary: 'Add a user',
  description:
    'With a password that you give them. An admin is made by a session, not by a token. The address is taken for theirs, and no mail is sent.',
  query: z.strictObject(dryRunQuery),
  body: component(
    'NewUser',
    z.strictObject({
      username: usernameField(),
      email: emailField(),
      name: nameField().optional(),
      password: newPasswordField('What the user signs in with at first.'),
      admin: z.boolean().optional().describe('Whether the user has full access to the platform; absent: no.'),
    }),
  ),
  bodyExample: () => ({
    username: 'ann',
    email: 'ann@example.com',
    name: 'Ann Example',
    password: 'copper kettle drum',
  }),
  answers: {
    200: tried,
    201: {
      description: 'The user who was added.',
      schema: userView,
      example,
      headers: madeHeaders,
    },
  },
  handle: async (call) => {
    const { username, email, name = '', password, admin = false } = call.body;
    const passwordHash = await hashOfNew(password, call.services, { username, email });
    const spec = { email, emailVerified: true, displayName: name, admin, passwordHash };
    const outcome = await write(call, createUser({ username, spec }, { byToken: isByToken(call.caller) }));
    if ('plan' in outcome) return { body: outcome.plan };
    return { status: 201, headers: { location: `${url}/${outcome.made}` }, ...shown(outcome.view, outcome.made) };
  },
});

const update = defineRoute({
  action: 'update-user',
  tag,
  method: 'PUT',
  url: `${url}/:id`,
  changesGiven: true,
  operationId: 'updateUser',
  summary: 'Change a user',
  description:
    'What is left out stays as it is. A new address is taken at once, also that of a user whose domain signs in through single sign-on, who cannot change it; a password that such a user is given opens nothing while that holds, unless they are an admin. A new address or password ends the sessions of the user. A session is needed for a new password, to make an admin or let one in again, and to change your own address or that of an admin; a token that changes the address of anybody else gives a `reason`, which stands in the audit log, and the old address gets a link that takes it back for 72 hours: as long the new one is good for no new password and no first single sign-on, unless the user, signed in, confirms it, or an admin who is signed in gives it again; who is suspended is signed out everywhere, and their tokens open nothing until they are let in again.',
  params,
  query: z.strictObject(dryRunQuery),
  body: component(
    'UserUpdate',
    z.strictObject({
      username: usernameField().optional(),
      email: emailField().optional(),
      name: nameField().optional(),
      admin: z.boolean().optional().describe('Whether the user has full access to the platform.'),
      suspended: z.boolean().optional().describe('Whether the user is shut out.'),
      ssoBound: z
        .literal(false)
        .optional()
        .describe(
          'Binds the account anew, to whoever is next proved to have its address by a provider of single sign-on.',
        ),
      password: newPasswordField('A new password.').optional(),
      reason: text(500)
        .optional()
        .describe('Why, for the audit log; a token needs it to change the address of somebody.'),
    }),
  ),
  bodyExample: () => ({ suspended: true }),
  answers: {
    200: {
      description: 'The user, or what a dry run would change.',
      schema: z.union([userView, planView]),
      example,
      headers: writtenHeaders,
    },
  },
  handle: async (call) => {
    const { body, params, caller, services } = call;
    const { name: displayName, password, ...fields } = body;
    if (password !== undefined) requireSession(caller);
    const keptSession = caller.kind === 'user' && caller.by === 'session' ? caller.session.id : undefined;
    const known = passwordOwner(services.door.store.read().get('User', params.id));
    const owner = { username: fields.username ?? known.username, email: fields.email ?? known.email };
    const passwordHash = password === undefined ? undefined : await hashOfNew(password, services, owner);
    const undo = mintSecret();
    // An admin who is signed in may have moved somebody away from an address that others read.
    const undoHash = keptSession === undefined ? undo.hash : undefined;
    const change = { ...fields, displayName, passwordHash, keptSession, undoHash };
    const outcome = await write(call, updateUser({ id: params.id, ...change, ...unmoved(call) }));
    if ('plan' in outcome) return { body: outcome.plan };
    mailUndo(services, outcome.changes, undo.secret);
    return shown(outcome.view, params.id);
  },
});

const remove = defineRoute({
  action: 'delete-user',
  tag,
  method: 'DELETE',
  url: `${url}/:id`,
  operationId: 'deleteUser',
  summary: 'Delete a user',
  description: 'With their tokens, sessions, memberships, and the invitations to and from them.',
  params,
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'The user is gone.' } },
  handle: async (call) => {
    const outcome = await write(call, deleteUser({ id: call.params.id, ...unmoved(call) }));
    return emptyAnswer(outcome);
  },
});

function isByToken(caller: Caller): boolean {
  return caller.kind === 'user' && caller.by === 'token';
}

/** A token that gave its own user a new password could be outlived by what that opens. Throws `session_required`. */
function requireSession(caller: Caller): void {
  if (caller.kind === 'user' && caller.by === 'session') return;
  throw new Problem('session_required', {
    detail: 'A token may not give a user a new password: sign in for that, or leave the password out.',
  });
}

/** A user as an answer. Throws `Declined` where there is none. */
function shown(view: View, id: string): Reply {
  const user = targetIn(view, 'User', { id });
  return { body: shownUser(user, view), version: userVersion(user) };
}

interface Filters {
  readonly q?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly suspended?: boolean | undefined;
  readonly ssoManaged?: boolean | undefined;
}

/** Nothing where all users match, because then nobody has to be looked at to be counted. */
function matching(
  view: View,
  { q, admin, suspended, ssoManaged }: Filters,
): ((user: Resource<'User'>) => boolean) | undefined {
  if (q === undefined && admin === undefined && suspended === undefined && ssoManaged === undefined) return undefined;
  const text = q?.toLowerCase();
  return (user) =>
    (admin === undefined || user.spec.admin === admin) &&
    (suspended === undefined || user.spec.suspended === suspended) &&
    (ssoManaged === undefined || isSsoManaged(user, view) === ssoManaged) &&
    (text === undefined || names(user).some((name) => name.toLowerCase().includes(text)));
}

function names({ name, spec }: Resource<'User'>): string[] {
  return [name, spec.email, spec.displayName];
}

/** Whatever the case of the letters; who never signed in comes first. */
function sortValue({ name, createdAt, spec }: Resource<'User'>, by: string): string {
  if (by === 'email') return spec.email;
  if (by === 'name') return spec.displayName.toLowerCase();
  if (by === 'createdAt') return createdAt;
  return by === 'lastSignInAt' ? (spec.lastSignInAt ?? '') : name.toLowerCase();
}

export const userRoutes: readonly Route[] = [list, get, create, update, remove];
