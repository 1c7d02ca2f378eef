// immutable: a field that may not change once its resource exists.
import type { z } from 'zod';
import { kindOf } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import type { Finding } from '../model/finding.ts';
import { sameValue } from '../model/leaves.ts';
import { pointer, readable } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { type Batch, counted, type Rule, violation } from './rule.ts';

export const immutable: Rule = {
  id: 'immutable',
  refuses: 'a changed immutable field (the provider of an SsoConfig; the driver of the Platform while instances exist)',
  *check(batch) {
    for (const { before, after } of batch.changes)
      if (before && after) yield* walk(batch, after, kindOf(after.kind).spec, before.spec, after.spec, ['spec']);
  },
};

function* walk(
  batch: Batch,
  resource: Resource,
  schema: z.core.$ZodType,
  before: unknown,
  after: unknown,
  steps: readonly string[],
): Iterable<Finding> {
  const mark = markOf(schema).immutable;
  if (mark && before !== undefined && !sameValue(before, after))
    yield* refuse(batch, resource, mark, before, after, steps);
  const parts = partsOf(schema);
  if (parts.type !== 'object' || !isRecord(before)) return;
  for (const [key, field] of Object.entries(parts.fields))
    yield* walk(batch, resource, field, before[key], isRecord(after) ? after[key] : undefined, [...steps, key]);
}

function* refuse(
  batch: Batch,
  resource: Resource,
  mark: { readonly until?: string },
  before: unknown,
  after: unknown,
  steps: readonly string[],
): Iterable<Finding> {
  const path = pointer(...steps);
  const instances = batch.before.count('Instance');
  if (mark.until !== undefined && instances === 0) return;
  const because =
    mark.until === undefined
      ? 'it is fixed when the object is created: declare a new object with another name instead'
      : `${counted(instances, 'instance')} exist${instances === 1 ? 's' : ''}: delete them first`;
  yield violation(
    'immutable',
    resource,
    path,
    `${readable(path)} cannot change from ${show(before)} to ${show(after)}, because ${because}`,
  );
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : String(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
