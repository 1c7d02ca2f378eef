// What every document has around its spec: kind, metadata and lifecycle.
import { z } from 'zod';
import { declaredKindNames } from './index.ts';
import { matching, name, setOf } from './kind.ts';
import { flag } from './scalars.ts';

const labelKey = matching(
  317,
  /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/,
  'it must be up to 63 letters, digits, "-", "_" and ".", with a domain and "/" before it if you like',
);

const labelValue = matching(
  63,
  /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  'it must be letters, digits, "-", "_" and ".", with a letter or digit at both ends',
).describe('The value of the label: up to 63 letters, digits, `-`, `_` and `.`, or nothing. Quote numbers.');

const metadata = z
  .strictObject({
    name: name().describe('The identity within its kind: lower-case letters, digits and `-`, at most 63.'),
    previousNames: setOf(name())
      .default([])
      .describe(
        'Names that this object had: a rename instead of a deletion and a creation. May stay after the rename.',
      ),
    labels: z
      .record(labelKey, labelValue)
      .default({})
      .describe('Free marks for people and programs, like `tier: free`.'),
  })
  .describe('What the object is called.');

const lifecycle = z
  .strictObject({
    protect: flag(false, 'Whether the object may not be deleted. Lift it in an earlier revision than the deletion.'),
    onRemove: z
      .enum(['delete', 'orphan'])
      .default('delete')
      .describe('What happens when the document leaves the tree: the object is deleted, or left to the API (orphan).'),
    ignore: setOf(matching(1024, /^\/spec\/([^~]|~[01])+$/, 'it must be a JSON pointer that begins with /spec/'))
      .default([])
      .describe('Fields that are left to the API: JSON pointers (RFC 6901) like `/spec/description`.'),
  })
  .prefault({})
  .describe('How the object may change and go.');

/** A document with its spec still unread. */
export const envelope = z.strictObject({
  apiVersion: z.literal('weir/v1').default('weir/v1').describe('The version of the format: `weir/v1`.'),
  kind: z.enum(declaredKindNames).describe('What is declared.'),
  metadata,
  lifecycle,
  spec: z.unknown().optional().describe('What is wanted, as its kind says.'),
});

/** A document with its spec still unread, as decoded. */
export type Envelope = z.output<typeof envelope>;
