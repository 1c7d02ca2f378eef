// weir export KIND/NAME --with FILE: the edit of a tree that would do what the API was asked to, and refused.
import { resolve } from 'node:path';
import { z } from 'zod';
import type { LoadedTree } from '../control/tree.ts';
import type { DeclaredKindName } from '../core/kinds/index.ts';
import { type Finding, hasErrors } from '../core/model/finding.ts';
import { differences, type Leaf, leavesOf, sameSpec, sameValue } from '../core/model/leaves.ts';
import { stepsOf } from '../core/model/pointer.ts';
import { problemsOf } from '../core/model/request-problems.ts';
import { type DeclaredResource, defaultLifecycle } from '../core/model/resource.ts';
import { withLeaves } from '../core/model/spec-from.ts';
import { suggest } from '../core/model/suggest.ts';
import { withoutTrailing } from '../core/model/without-trailing.ts';
import type { Desired } from '../core/plan/desired.ts';
import { desireSteps } from '../core/plan/desired-tree.ts';
import { placeOf } from '../core/plan/locate.ts';
import { specProblemsOf } from '../core/plan/spec-problems.ts';
import { InvalidSpec, writtenSpec } from '../core/proposals/written-spec.ts';
import { unifiedDiff } from '../lib/line-diff.ts';
import { messageOf } from '../lib/message-of.ts';
import { type Edit, editText } from '../manifests/edit.ts';
import { exportedSpec } from '../manifests/exported-spec.ts';
import { treeOfTexts } from '../manifests/texts.ts';
import { isMissing } from '../manifests/tree.ts';
import { UsageError } from '../options.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { offlineFacts } from './facts.ts';
import { Unavailable } from './failure.ts';
import { textOf } from './named-file.ts';
import { escaped } from './output/escape.ts';
import { readTreeAt } from './tree.ts';
import type { Invocation } from './verb.ts';

/** Prints the edit as a unified diff, which `patch` and `git apply` take. */
export async function exportEdit(
  { kind, name }: { readonly kind: DeclaredKindName; readonly name: string },
  folder: string,
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<ExitCode> {
  const change = changeIn(resolve(io.cwd, options.with ?? ''));
  const loaded = await readTreeAt(folder, offlineFacts(), io, { git: false, env: options.env });
  const desired = declaredIn(loaded, `${kind}/${name}`, folder);
  const wanted = wantedOf(desired, change);
  const { spec, literals } = exportedSpec(wanted);
  const files = editsOf(desired, wanted, spec);
  const texts = new Map([...loaded.tree.files.values()].map(({ path, text }) => [path, text]));
  const tries = [0, 1].map((attempt) => {
    const edited = [...files].flatMap(([path, edits]) => {
      const text = editText(texts.get(path) ?? '', { kind, name }, edits)?.[attempt];
      return text === undefined ? [] : [[path, text] as const];
    });
    return new Map([...texts, ...edited]);
  });
  const after = tries.find((one) => isWanted(loaded, one, wanted, desired));
  if (!after)
    throw new Unavailable(
      'no_edit',
      `no edit can be made of it by itself: write the change into ${desired.document.file} by hand`,
    );
  const prefix = withoutTrailing(folder, '/').replace(/^\.\//, '');
  for (const path of files.keys())
    io.stdout.write(
      unifiedDiff(prefix === '.' ? path : `${prefix}/${path}`, texts.get(path) ?? '', after.get(path) ?? ''),
    );
  if (files.size === 0) io.stderr.write(`${folder} has ${kind}/${name} like that already\n`);
  for (const { variable } of files.size > 0 ? literals : [])
    io.stderr.write(`a tree holds no secrets: set ${escaped(variable)} where Weir runs\n`);
  return exitCodes.fine;
}

const body = z.strictObject({
  spec: z.unknown().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  lifecycle: z
    .strictObject({
      protect: z.boolean().optional(),
      onRemove: z.enum(['delete', 'orphan']).optional(),
      ignore: z.array(z.string()).optional(),
    })
    .optional(),
});

type Change = z.output<typeof body>;

function changeIn(file: string): Change {
  const parsed = body.safeParse(jsonIn(file), { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error.issues, 'it');
  throw new UsageError(`${file} is not the body of a PUT ({spec, labels?, lifecycle?}):\n${told(problems)}`);
}

function jsonIn(file: string): unknown {
  const text = textOf(file, 'change_not_read');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${messageOf(error)}`);
  }
}

function told(problems: readonly Finding[]): string {
  return problems.map(({ message }) => message).join('\n');
}

function declaredIn({ desired, findings }: LoadedTree, address: string, folder: string): Desired {
  const found = desired.desired.get(address);
  if (found) return found;
  const names = [...desired.desired.keys()];
  const nearest = suggest(address, names);
  const broken = findings.some(({ severity }) => severity === 'error')
    ? ' (weir validate tells what is wrong there)'
    : '';
  const meant = nearest === undefined ? '' : `: did you mean ${nearest}?`;
  throw new UsageError(`${folder} declares no ${address}${broken}${meant}`);
}

/** What the API would have made of it. */
function wantedOf({ kind, name, labels, lifecycle, spec }: Desired, change: Change): DeclaredResource {
  try {
    const times = { createdAt: '', updatedAt: '' };
    return {
      ...{ kind, id: '', name, generation: 1, managedBy: 'config', ...times },
      labels: change.labels ?? labels,
      lifecycle: change.lifecycle ? { ...defaultLifecycle, ...withoutUndefined(change.lifecycle) } : lifecycle,
      spec: change.spec === undefined ? spec : writtenSpec({ kind, name }, change.spec, spec),
    } as DeclaredResource;
  } catch (error) {
    if (!(error instanceof InvalidSpec)) throw error;
    const problems = error.subject ? specProblemsOf(error.subject, error.issues) : problemsOf(error.issues, 'it');
    throw new UsageError(`the change is not valid:\n${told(problems)}`);
  }
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}

/** The edits by file: where a field is set already, else where the object is declared. */
function editsOf(desired: Desired, wanted: DeclaredResource, written: object): ReadonlyMap<string, readonly Edit[]> {
  const isLeft = (path: string) => desired.lifecycle.ignore.some((one) => path === one || path.startsWith(`${one}/`));
  const changes = differences(leavesOf(desired.kind, desired.spec), leavesOf(wanted.kind, wanted.spec));
  const spec = changes
    .filter(({ path }) => !isLeft(path))
    .map(({ path, before, after }) => ({ path, at: before?.pointer ?? path, value: valueFor(after, written) }));
  return Map.groupBy([...envelopeEdits(desired, wanted), ...spec], ({ at }) => {
    return placeOf(desired.document, at)?.file ?? desired.document.file;
  });
}

/** A default need not be written; of a secret only its reference may be. */
function valueFor(leaf: Leaf | undefined, written: object): unknown {
  if (leaf === undefined || (leaf.isDefault && leaf.section === undefined)) return undefined;
  if (!leaf.secret) return leaf.value;
  return stepsOf(leaf.pointer)
    .slice(1)
    .reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>>)[step], written);
}

function envelopeEdits(desired: Desired, wanted: DeclaredResource): readonly (Edit & { readonly at: string })[] {
  const keys = new Set([...Object.keys(desired.labels), ...Object.keys(wanted.labels)]);
  const labels = [...keys].map((key) => ({
    path: `/metadata/labels/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    before: desired.labels[key],
    value: wanted.labels[key],
  }));
  const lifecycle = (['protect', 'onRemove', 'ignore'] as const).map((key) => ({
    path: `/lifecycle/${key}`,
    before: desired.lifecycle[key],
    value: sameValue(wanted.lifecycle[key], defaultLifecycle[key]) ? undefined : wanted.lifecycle[key],
  }));
  const isOther = ({ before, value }: { readonly before: unknown; readonly value: unknown }) =>
    !sameValue(before, value);
  const changed = lifecycle.filter(
    ({ path, before }) => !sameValue(before, wanted.lifecycle[path.slice('/lifecycle/'.length) as 'protect']),
  );
  return [...labels.filter(isOther), ...changed].map(({ path, value }) => ({ path, at: path, value }));
}

/** Whether an edited tree declares what is wanted: nothing is printed that would not do what it says. */
function isWanted(
  { tree }: LoadedTree,
  after: ReadonlyMap<string, string>,
  wanted: DeclaredResource,
  { lifecycle }: Desired,
): boolean {
  const edited = treeOfTexts(
    [...after].map(([path, content]) => ({ path, content })),
    tree.overlay,
  );
  if (isMissing(edited) || hasErrors(edited.findings)) return false;
  const steps = desireSteps({ ...edited, files: edited.files.values(), readPublicFile: tree.file });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const made = step.value.desired.get(`${wanted.kind}/${wanted.name}`);
  if (!made || !sameValue(made.labels, wanted.labels) || !sameValue(made.lifecycle, wanted.lifecycle)) return false;
  const spec = withLeaves(wanted.kind, secretsAside(made), secretsAside(wanted), lifecycle.ignore);
  return sameSpec(wanted.kind, spec, secretsAside(wanted));
}

/** A secret that was written out becomes a reference. */
function secretsAside({ kind, name, spec, labels, lifecycle }: Desired | DeclaredResource): unknown {
  const times = { createdAt: '', updatedAt: '', generation: 1, managedBy: 'config', id: '' } as const;
  return exportedSpec({ kind, name, spec, labels, lifecycle, ...times } as DeclaredResource).spec;
}
