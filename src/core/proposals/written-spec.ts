// A spec as the API takes it: like a document's, but secrets may be written out, and kept without being known.
import type { z } from 'zod';
import { type DeclaredKindName, kindOf, type SpecOf } from '../kinds/index.ts';
import { bare, markOf, partsOf } from '../kinds/kind.ts';
import { isRecord } from '../model/is-record.ts';
import type { SpecSubject } from '../model/spec-subject.ts';

/** What is wrong with what somebody wrote; `subject` says of which declared object it is the spec, where it is that of one. */
export class InvalidSpec extends Error {
  override readonly name = 'InvalidSpec';
  readonly issues: readonly z.core.$ZodIssue[];
  readonly subject: SpecSubject | undefined;
  constructor(issues: readonly z.core.$ZodIssue[], subject?: SpecSubject) {
    super('the spec is not valid');
    this.issues = issues;
    this.subject = subject;
  }
}

/**
 * The spec that was written, with defaults. A secret is text or `{value}`, a reference, or `{set: true}`, which keeps the one that
 * `current` has. Throws `InvalidSpec` with every problem; paths begin at `spec`.
 */
export function writtenSpec<K extends DeclaredKindName>(
  { kind, name }: { readonly kind: K; readonly name: string },
  written: unknown,
  current?: SpecOf<K>,
): SpecOf<K> {
  const { data, issues } = writtenValue(kindOf(kind).spec, written, current, ['spec']);
  if (issues.length > 0) throw new InvalidSpec(issues, { kind, name, written });
  return data as SpecOf<K>;
}

/** A value that was written, with defaults, or everything that is wrong with it; `at` is where it stands in what was sent. */
export function writtenValue<S extends z.ZodType>(
  schema: S,
  written: unknown,
  current: unknown,
  at: Steps,
): { readonly data?: z.output<S>; readonly issues: readonly z.core.$ZodIssue[] } {
  const issues: z.core.$ZodIssue[] = [];
  const parsed = schema.safeParse(withSecrets(schema, written, current, [], issues), { reportInput: true });
  const all = [...issues, ...(parsed.error?.issues ?? [])];
  if (!parsed.success || all.length > 0)
    return { issues: all.map((issue) => ({ ...issue, path: [...at, ...issue.path] })) };
  return { data: parsed.data, issues: [] };
}

type Steps = readonly (string | number)[];

function withSecrets(
  schema: z.core.$ZodType,
  written: unknown,
  current: unknown,
  at: Steps,
  issues: z.core.$ZodIssue[],
): unknown {
  if (written === undefined) return undefined;
  if (markOf(schema).secret) return secretOf(schema, written, current, at, issues);
  const parts = partsOf(schema);
  if (parts.type === 'list' && Array.isArray(written)) {
    const { namedBy, item } = parts;
    return written.map((one, index) =>
      withSecrets(item, one, itemLike(one, index, current, namedBy), [...at, index], issues),
    );
  }
  if ((parts.type !== 'object' && parts.type !== 'map') || !isRecord(written)) return written;
  const fieldOf = (key: string) =>
    parts.type === 'map' ? parts.value : Object.hasOwn(parts.fields, key) ? parts.fields[key] : undefined;
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => {
      const field = fieldOf(key);
      const kept = isRecord(current) ? current[key] : undefined;
      return [key, field ? withSecrets(field, value, kept, [...at, key], issues) : value];
    }),
  );
}

function itemLike(one: unknown, index: number, current: unknown, namedBy: string | undefined): unknown {
  if (!Array.isArray(current)) return undefined;
  if (namedBy === undefined) return current[index];
  return isRecord(one) ? current.find((other) => other[namedBy] === one[namedBy]) : undefined;
}

const forms =
  'write it out, write {fromEnv: WEIR_SECRET_…} or {fromFile: …}, or send {set: true} to keep the one that is there';

function secretOf(
  schema: z.core.$ZodType,
  written: unknown,
  current: unknown,
  at: Steps,
  issues: z.core.$ZodIssue[],
): unknown {
  const problem = (message: string) => {
    issues.push({ code: 'custom', path: [...at], message, input: undefined });
    return undefined;
  };
  if (isRecord(written) && written['set'] === true)
    return current ?? problem(`there is no secret yet that could be kept: ${forms}`);
  const secret = typeof written === 'string' ? { value: written } : written;
  return (bare(schema) as z.ZodType).safeParse(secret).success
    ? secret
    : problem(`it is not a secret in a form that Weir knows: ${forms}`);
}
