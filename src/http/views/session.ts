// How a session looks in answers.
import { z } from 'zod';
import type { Caller } from '../../core/access/actor.ts';
import type { Resource } from '../../core/model/resource.ts';
import { component } from '../json-schema.ts';
import type { Services } from '../services.ts';
import { idView, instantView, toTheMinute } from './values.ts';

/** A session. */
export const sessionView = component(
  'Session',
  z.strictObject({
    id: idView(),
    createdAt: instantView('When the user signed in.'),
    lastSeenAt: instantView('When it was last used, to the minute.'),
    expiresAt: instantView('When it ends at the latest.'),
    address: z.string().describe('The network address that signed in.'),
    agent: z.string().describe('The browser, as it called itself.'),
    current: z.boolean().describe('Whether it is the one that asks.'),
  }),
);

/** A session as answered. */
export function shownSession(
  session: Resource<'Session'>,
  caller: Caller,
  { lastUsed }: Pick<Services, 'lastUsed'>,
): z.output<typeof sessionView> {
  const { id, createdAt, spec } = session;
  const { expiresAt, address, agent } = spec;
  const current = caller.kind === 'user' && caller.by === 'session' && caller.session.id === id;
  const lastSeenAt = toTheMinute(lastUsed(id) ?? spec.lastSeenAt, createdAt);
  return { id, createdAt, lastSeenAt, expiresAt, address, agent, current };
}

/** A session in an example. */
export const exampleSession: z.output<typeof sessionView> = {
  id: 'k2Yw8Jr5Tz0QnLx6Vb3McA',
  createdAt: '2026-11-21T10:00:00.000Z',
  lastSeenAt: '2026-11-21T10:05:00.000Z',
  expiresAt: '2026-11-28T10:00:00.000Z',
  address: '192.0.2.7',
  agent: 'Mozilla/5.0',
  current: true,
};
