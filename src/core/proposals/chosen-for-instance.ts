// What somebody chose for an instance, by name: its type, template and stack, and what it overrides.
import type { z } from 'zod';
import { kinds, type SpecOf } from '../kinds/index.ts';
import { addressOf, type ResourceOf } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { writtenValue } from './written-spec.ts';

export type Issue = z.core.$ZodIssue;

/** The id of what has this name. A name that nothing has stands for itself, so that the rule `references` names it. */
export function chosenId(view: View, kind: 'InstanceType' | 'Template' | 'Stack', name: string): string {
  const found = view.named(kind, name);
  return found?.name === name ? found.id : name;
}

/** The stack of an instance of a type: the one that was named, which must be one of the type's, or else the type's default. */
export function chosenStack(
  view: View,
  typeId: string,
  wanted: string | undefined,
): { readonly id: string; readonly issue?: Issue } {
  const type = view.get('InstanceType', typeId);
  if (wanted !== undefined) {
    const id = chosenId(view, 'Stack', wanted);
    const isOffered = !type || !view.get('Stack', id) || type.spec.stacks.includes(wanted);
    return isOffered ? { id } : { id, issue: issueAt(['stack'], wanted, notOffered(type, wanted)) };
  }
  const otherwise = type && (type.spec.defaultStack ?? type.spec.stacks[0]);
  if (otherwise !== undefined) return { id: chosenId(view, 'Stack', otherwise) };
  // Of a type that is not there `references` speaks; that its stack is not known is no second problem.
  if (!type) return { id: anyStack(view) };
  const words = `${addressOf(type)} has no stack, so that nothing could run: choose another type, or have an admin add a stack to it`;
  return { id: anyStack(view), issue: issueAt(['instanceType'], type.name, words) };
}

function notOffered(type: ResourceOf<'InstanceType'>, wanted: string): string {
  const { stacks } = type.spec;
  const have = stacks.length > 0 ? `it has ${stacks.slice(0, 10).join(', ')}` : 'it has none';
  return `Stack/${wanted} is not among the stacks of ${addressOf(type)} (${have}): choose one of them, or leave it out`;
}

function anyStack(view: View): string {
  for (const stack of view.all('Stack')) if (stack.spec.active) return stack.id;
  return 'default';
}

/** What is overridden after a write; absent where nothing is. */
export interface Overridden {
  readonly options?: SpecOf<'Instance'>['options'];
  readonly environment?: SpecOf<'Instance'>['environment'];
  readonly issues: readonly Issue[];
}

/** Options as they are written: each by its name; `null` takes an override away, and so does a `null` for all. Absent: as they are. */
export type WrittenOptions = Readonly<Record<string, unknown>> | null | undefined;

/** Variables as they are written: `null` as a value takes an override away. */
export type WrittenVariables = readonly { readonly name: string; readonly value: string | null }[] | null | undefined;

/** What is written over what is there: what is not mentioned stays, in a list that is given only where `replacesLists` does not say otherwise. */
export function overridden(
  current: Pick<SpecOf<'Instance'>, 'options' | 'environment'>,
  written: {
    readonly options?: WrittenOptions;
    readonly environment?: WrittenVariables;
    readonly replacesLists?: boolean;
  },
): Overridden {
  const options = mergedOptions(current.options, written.options);
  const environment = mergedVariables(
    written.replacesLists && written.environment ? [] : current.environment,
    written.environment,
  );
  return {
    ...(options.data && Object.keys(options.data).length > 0 ? { options: options.data } : {}),
    ...(environment.data.length > 0 ? { environment: environment.data } : {}),
    issues: [...options.issues, ...environment.issues],
  };
}

function mergedOptions(current: SpecOf<'Instance'>['options'], written: WrittenOptions) {
  if (written === null) return { data: undefined, issues: [] };
  const given = Object.fromEntries(Object.entries(written ?? {}).map(([name, value]) => [name, value ?? undefined]));
  const { data, issues } = writtenValue(kinds.Instance.spec.shape.options, given, current, ['options']);
  const merged = Object.entries({ ...current, ...data });
  return { data: Object.fromEntries(merged.filter(([, value]) => value !== undefined)), issues };
}

/** How many variables an instance may have of its own. */
const mostVariables = 500;

function mergedVariables(current: SpecOf<'Instance'>['environment'] = [], written: WrittenVariables) {
  if (written === null) return { data: [], issues: [] };
  const values = new Map<string, string | null>(current.map(({ name, value }) => [name, value]));
  for (const { name, value } of written ?? []) values.set(name, value);
  const data = [...values].flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  const problem = `an instance has at most ${mostVariables} variables of its own, and this would be ${data.length}`;
  return { data, issues: data.length > mostVariables ? [issueAt(['environment'], undefined, problem)] : [] };
}

/** One thing that is wrong with what was sent; `message` follows "because". */
export function issueAt(path: readonly (string | number)[], input: unknown, message: string): Issue {
  return { code: 'custom', path: [...path], message, input };
}
