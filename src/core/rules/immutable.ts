// immutable: a field that may not change once its resource exists.
import type { z } from 'zod';
import { kindOf } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import type { Finding } from '../model/finding.ts';
import { sameValue } from '../model/leaves.ts';
import { pointer, readable } from '../model/pointer.ts';
import type { Resource } from '../model/resource.ts';
import { singleton } from '../model/view.ts';
import { type Batch, counted, type Rule, violation } from './rule.ts';

export const immutable: Rule = {
  id: 'immutable',
  refuses: 'a changed immutable field (the provider of an SsoConfig; the driver of the Platform while instances exist)',
  perChange: true,
  *check(batch) {
    for (const { kind, before, after } of batch.changes) {
      // A Platform that nobody declared yet has its defaults, and instances may run on them.
      const old: Resource | undefined = before ?? (kind === 'Platform' ? singleton(batch.before, kind) : undefined);
      if (old && after) for (const field of fixedFields(kindOf(kind).spec)) yield* judge(batch, old, after, field);
    }
  },
};

/** A field that is marked, by its steps below the spec. `until`: what has to exist for it to be fixed. */
interface FixedField {
  readonly steps: readonly string[];
  readonly until: string | undefined;
}

function fixedFields(schema: z.core.$ZodType): readonly FixedField[] {
  const known = fixedCache.get(schema);
  if (known) return known;
  const found = findFixed(schema, []);
  fixedCache.set(schema, found);
  return found;
}

// A memo of a pure function over schemas, which never change.
const fixedCache = new WeakMap<z.core.$ZodType, readonly FixedField[]>();

function findFixed(schema: z.core.$ZodType, steps: readonly string[]): FixedField[] {
  const { immutable: mark } = markOf(schema);
  const parts = partsOf(schema);
  const below = parts.type === 'object' ? Object.entries(parts.fields) : [];
  const own = mark ? [{ steps, until: mark.until }] : [];
  return [...own, ...below.flatMap(([key, field]) => findFixed(field, [...steps, key]))];
}

function* judge(batch: Batch, before: Resource, after: Resource, { steps, until }: FixedField): Iterable<Finding> {
  const [old, fresh] = [valueAt(before.spec, steps), valueAt(after.spec, steps)];
  if (old === undefined || sameValue(old, fresh)) return;
  const instances = batch.before.count('Instance');
  if (until !== undefined && instances === 0) return;
  const path = pointer('spec', ...steps);
  const because =
    until === undefined
      ? 'it is fixed when the object is created: declare a new object with another name instead'
      : `${counted(instances, 'instance')} exist${instances === 1 ? 's' : ''}: delete ${instances === 1 ? 'it' : 'them'} first`;
  const what = `${readable(path)} cannot change from ${show(old)} to ${show(fresh)}, because ${because}`;
  yield violation('immutable', after, path, what);
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce((at, step) => (at as Readonly<Record<string, unknown>> | undefined)?.[step], value);
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : String(value);
}
