// How a token for the HTTP endpoints of an instance is written, and looks in answers: everything but its text.
import { z } from 'zod';
import { displayName } from '../../core/kinds/scalars.ts';
import type { Resource } from '../../core/model/resource.ts';
import { component } from '../json-schema.ts';
import { idView, instantView } from './values.ts';

/** A new one. */
export const newHttpTokenBody = component(
  'NewHttpToken',
  z.strictObject({
    name: displayName(100).describe('A label, for people.'),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('When it ends (RFC 3339); in a year where nothing is said.'),
  }),
);

const fields = {
  id: idView(),
  name: z.string().describe('Its label.'),
  createdAt: instantView('When it was made.'),
  expiresAt: instantView('When it ends.'),
};

/** A token for the HTTP endpoints of an instance. */
export const httpTokenView = component('HttpToken', z.strictObject(fields));

/** One just made: the only answer that ever holds its text. */
export const newHttpTokenView = component(
  'CreatedHttpToken',
  z.strictObject({ ...fields, token: z.string().describe('The token itself, this once.') }),
);

/** One as answered. */
export function shownHttpToken({ id, name, spec, createdAt }: Resource<'HttpToken'>): z.output<typeof httpTokenView> {
  return { id, name, createdAt, expiresAt: spec.expiresAt };
}

/** One in an example. */
export const exampleHttpToken: z.output<typeof httpTokenView> = {
  id: 'H4s8WzQm2TcXv9Rd6LfYk3',
  name: 'scale 7',
  createdAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2027-11-21T10:00:00.000Z',
};
