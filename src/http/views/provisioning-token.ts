// How a provisioning token looks in answers: everything but its text.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import { component } from '../json-schema.ts';
import { idView, instantView } from './values.ts';

const fields = {
  id: idView(),
  name: z.string().describe('Its label.'),
  group: z.string().optional().describe('The id of the group that the device will be in.'),
  createdAt: instantView('When it was made.'),
  expiresAt: instantView('When it ends.'),
};

/** A provisioning token. */
export const provisioningTokenView = component('ProvisioningToken', z.strictObject(fields));

/** One just made: the only answer that ever holds its text. */
export const newProvisioningTokenView = component(
  'CreatedProvisioningToken',
  z.strictObject({ ...fields, token: z.string().describe('The token itself, this once.') }),
);

/** A provisioning token as answered. */
export function shownProvisioningToken(token: Resource<'ProvisioningToken'>): z.output<typeof provisioningTokenView> {
  const { id, name, spec, createdAt } = token;
  const { group, expiresAt } = spec;
  return { id, name, ...(group === undefined ? {} : { group }), createdAt, expiresAt };
}

/** One in an example. */
export const exampleProvisioningToken: z.output<typeof provisioningTokenView> = {
  id: 'H4s8WzQm2TcXv9Rd6LfYk3',
  name: 'hall 7',
  createdAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2026-11-22T10:00:00.000Z',
};
