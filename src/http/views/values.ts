// The plain values that several views share.
import { z } from 'zod';
import { roles } from '../../core/kinds/roles.ts';
import { describedAs } from '../json-schema.ts';

/** An id: opaque, URL-safe. */
export const idView = (description = 'The id: opaque.') => z.string().describe(description);

/** A time: RFC 3339, UTC. */
export const instantView = (description: string) => z.string().describe(description);

/** How many there are of something. */
export const countView = (description: string) => z.int().min(0).describe(description);

/** A role in a team. */
export const roleView = z.enum(roles).describe('What somebody may do in the team.');

/** A time in a query, in any offset: RFC 3339. It is read as UTC, in milliseconds. */
export const timeQuery = () =>
  describedAs(
    z.iso
      .datetime({ offset: true, error: 'it is not a time like 2026-11-21T10:00:00Z (RFC 3339)' })
      .transform((text) => new Date(text).toISOString()),
    { type: 'string', format: 'date-time' },
  ).optional();

/**
 * When something that was made at `createdAt` was last used, to the minute: a list that is asked for by one of its own items would
 * otherwise never be the same twice. Both are RFC 3339, UTC.
 */
export function toTheMinute(at: string, createdAt: string): string {
  const minute = `${at.slice(0, 16)}:00.000Z`;
  return minute < createdAt ? createdAt : minute;
}
