// The plain values that several views share.
import { z } from 'zod';
import { roles } from '../../core/kinds/roles.ts';

/** An id: opaque, URL-safe. */
export const idView = (description = 'The id: opaque.') => z.string().describe(description);

/** A time: RFC 3339, UTC. */
export const instantView = (description: string) => z.string().describe(description);

/** A role in a team. */
export const roleView = z.enum(roles).describe('What somebody may do in the team.');
