// The noun Team: users who work together. Its name is the slug.
import { z } from 'zod';
import { defineKind, matching, refId } from './kind.ts';
import { text } from './scalars.ts';

/** The name of a team, for people: several may have the same. */
export function teamName(): z.ZodString {
  return matching(
    255,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is kept out.
    /^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff][^\u0000-\u001f\u007f]*$/,
    'it must hold something that can be seen, and no control characters',
  );
}

/** A team (specification 2.2). */
export const team = defineKind({
  kind: 'Team',
  plural: 'teams',
  path: 'teams',
  declared: false,
  summary: 'Users who work together on instances.',
  spec: z.strictObject({
    displayName: text(255).describe('The name that people read.'),
    type: refId('TeamType').describe('The type that decides features, instance types and limits.'),
  }),
});
