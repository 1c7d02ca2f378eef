// Generated small trees that are valid on their own: five kinds, with references that hold.
import fc from 'fast-check';
import type { DeclaredKindName } from '../../../src/core/kinds/index.ts';
import type { Files } from '../../control/world.ts';
import { specOf } from '../model/any-spec.ts';

/** A document as a value; JSON is YAML. */
export interface AnyDocument {
  readonly kind: DeclaredKindName;
  readonly metadata: { readonly name: string; readonly labels?: object; readonly previousNames?: readonly string[] };
  readonly lifecycle?: object;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Everything is licensed, paid for and may be deleted, so that only what a test is about stands in its way. */
const platform = {
  kind: 'Platform',
  metadata: { name: 'platform' },
  spec: {
    licence: 'enterprise',
    driver: { kind: 'container' },
    billing: { enabled: true },
    reconcile: { maxDeletes: { count: 1000, percent: 100 } },
  },
};

/** The documents of a tree, without its Platform. */
export const anyTree: fc.Arbitrary<readonly AnyDocument[]> = fc
  .tuple(some('Stack', 4), some('InstanceType', 3), some('TeamType', 2), some('Template', 2), some('SsoConfig', 2))
  .map((parts) => mended(parts.flat()));

/** The files of a tree, one document each. */
export function filesOf(documents: readonly AnyDocument[]): Files {
  const files = documents.map((document) => [
    `${document.kind}/${document.metadata.name}.yaml`,
    JSON.stringify(document),
  ]);
  return { 'weir.yaml': JSON.stringify(platform), ...Object.fromEntries(files) };
}

const around = fc.record(
  {
    labels: fc.dictionary(fc.constantFrom('tier', 'constructor', 'example.com/owner'), fc.constantFrom('a', 'b', '')),
    lifecycle: fc.record(
      {
        onRemove: fc.constantFrom('delete', 'orphan'),
        ignore: fc.constantFrom([], ['/spec/description'], ['/spec/label']),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

function some(kind: DeclaredKindName, most: number): fc.Arbitrary<AnyDocument[]> {
  const names = Array.from({ length: most }, (_, at) => `${kind.toLowerCase()}-${at}`);
  return fc.subarray(names).chain((chosen) =>
    fc.tuple(
      ...chosen.map((name) =>
        fc.tuple(around, specOf(kind)).map(([{ labels, lifecycle }, spec]): AnyDocument => {
          const metadata = { name, ...(labels ? { labels } : {}) };
          return { kind, metadata, ...(lifecycle ? { lifecycle: fitting(kind, lifecycle) } : {}), spec: { ...spec } };
        }),
      ),
    ),
  );
}

/** Only fields that the kind has can be left to the API. */
function fitting(kind: DeclaredKindName, lifecycle: { ignore?: readonly string[] }): object {
  const own = kind === 'Stack' || kind === 'SsoConfig' ? '/spec/label' : '/spec/description';
  return { ...lifecycle, ...(lifecycle.ignore ? { ignore: lifecycle.ignore.filter((path) => path === own) } : {}) };
}

/** Makes references hold, and what must be unique unique. */
function mended(documents: readonly AnyDocument[]): AnyDocument[] {
  const names = (kind: DeclaredKindName) =>
    documents.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
  const [stacks, types] = [names('Stack'), names('InstanceType')];
  return documents.map((document) => ({ ...document, spec: mendedSpec(document, stacks, types) }));
}

function mendedSpec({ kind, metadata, spec }: AnyDocument, stacks: readonly string[], types: readonly string[]) {
  if (kind === 'Stack') {
    const before = stacks[stacks.indexOf(metadata.name) - 1];
    const { replaces, ...rest } = spec;
    return replaces !== undefined && before !== undefined ? { ...rest, replaces: before } : rest;
  }
  if (kind === 'InstanceType') {
    const own = stacks.slice(0, Array.isArray(spec['stacks']) ? spec['stacks'].length : 0);
    const { defaultStack: _, ...rest } = spec;
    return { ...rest, stacks: own, ...(own.length > 1 ? { defaultStack: own.at(-1) } : {}) };
  }
  if (kind === 'TeamType') {
    const items = (spec['instanceTypes'] ?? []) as readonly object[];
    return { ...spec, instanceTypes: items.slice(0, types.length).map((item, at) => ({ ...item, name: types[at] })) };
  }
  if (kind === 'SsoConfig')
    return { ...spec, active: false, provider: 'saml', emailDomain: `${metadata.name}.example` };
  return spec;
}
