// How findings and errors look in answers.
import { z } from 'zod';
import { codes, type ErrorCode } from '../errors.ts';
import { component } from '../json-schema.ts';

const position = (what: string) => z.int().min(1).describe(what);

/** Where something stands in a tree. */
export const sourceView = component(
  'Source',
  z.strictObject({
    file: z.string().describe('The file, relative to the tree.'),
    line: position('The line, from 1.'),
    column: position('The column, from 1, in UTF-16 units.'),
    endLine: position('The line where it ends.'),
    endColumn: position('The column where it ends, exclusive.'),
  }),
);

/** Where something stands, to the line. */
export const placeView = component(
  'Place',
  z.strictObject({ file: z.string().describe('The file, relative to the tree.'), line: position('The line, from 1.') }),
);

/** One thing that is wrong, or worth knowing. */
export const findingView = component(
  'Finding',
  z.strictObject({
    rule: z.string().describe('The rule that says so; stable.'),
    severity: z.enum(['error', 'warning']).describe('Whether it refuses (error) or only warns.'),
    message: z.string().describe('What cannot be, because what.'),
    kind: z.string().optional().describe('The kind of the object.'),
    name: z.string().optional().describe('The name of the object.'),
    path: z.string().optional().describe('A JSON pointer into the object, or into the body that was sent.'),
    source: sourceView.optional().describe('Where it stands in the tree.'),
    suggestion: z.string().optional().describe('What to write instead.'),
    sensitive: z.boolean().optional().describe('The text at the source may hold a secret.'),
  }),
);

const codeNames = Object.keys(codes) as [ErrorCode, ...ErrorCode[]];

/** An error answer. */
export const problemView = component(
  'Problem',
  z.strictObject({
    type: z.string().describe('A URI for this kind of problem.'),
    title: z.string().describe('The kind of problem, in words.'),
    status: z.int().min(400).max(599).describe('The HTTP status.'),
    detail: z.string().describe('What is wrong this time.'),
    code: z.enum(codeNames).describe('The kind of problem, for programs.'),
    violations: z
      .array(findingView)
      .optional()
      .describe('What is wrong in particular: rules that forbid it, fields that do not fit.'),
    violationsTotal: z.int().optional().describe('How many there are, where not all of them are told.'),
    redirect: z.string().optional().describe('With `sso_required`: the address to sign in at.'),
  }),
);
