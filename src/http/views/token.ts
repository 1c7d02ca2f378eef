// How an access token looks in answers: everything but its text.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { component } from '../json-schema.ts';
import type { Services } from '../services.ts';
import { idView, instantView, toTheMinute } from './values.ts';

const fields = {
  id: idView(),
  name: z.string().describe('The label that its owner gave it.'),
  scope: z.enum(['full', 'plan']).describe('What it opens: all that its owner may do, or reading plans only.'),
  createdAt: instantView('When it was made.'),
  expiresAt: z.string().nullable().describe('When it ends; null for never.'),
  lastUsedAt: z.string().nullable().describe('When it was last used, to the minute; null for never.'),
};

/** A token. */
export const tokenView = component('Token', z.strictObject(fields));

/** A token just made: the only answer that ever holds its text. */
export const newTokenView = component(
  'CreatedToken',
  z.strictObject({ ...fields, token: z.string().describe('The token itself, this once.') }),
);

/** A token as answered. */
export function shownToken(
  { id, name, createdAt, spec }: Resource<'Token'>,
  { lastUsed }: Pick<Services, 'lastUsed'>,
): z.output<typeof tokenView> {
  const { scope, expiresAt } = spec;
  const used = lastUsed(id) ?? spec.lastUsedAt;
  return { id, name, scope, createdAt, expiresAt, lastUsedAt: used && toTheMinute(used, createdAt) };
}

/** A token as admins see it: with whose it is. */
export const ownedTokenView = component(
  'OwnedToken',
  z.strictObject({
    ...fields,
    user: z.strictObject({ id: idView(), username: z.string().describe('The username.') }).describe('Whose it is.'),
  }),
);

/** A token as answered to admins. */
export function shownOwnedToken(
  token: Resource<'Token'>,
  view: View,
  services: Pick<Services, 'lastUsed'>,
): z.output<typeof ownedTokenView> {
  const { user: id } = token.spec;
  return { ...shownToken(token, services), user: { id, username: view.get('User', id)?.name ?? '' } };
}

/** A token in an example. */
export const exampleToken: z.output<typeof tokenView> = {
  id: '8sKd03mVq1ZtLx7BnYc5Re',
  name: 'ci',
  scope: 'plan',
  createdAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2027-11-21T10:00:00.000Z',
  lastUsedAt: null,
};
