// From the state back to documents: what is declared, as files of a tree that plans to nothing.
import { Document, isMap, isScalar, type Node, type Pair, visit } from 'yaml';
import { type DeclaredKindName, declaredKindNames, kindOf } from '../core/kinds/index.ts';
import { type DeclaredResource, defaultLifecycle } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { exportedSpec, type Literal } from './exported-spec.ts';

/** One file of an exported tree; `path` is relative to its root. */
export interface ExportedFile {
  readonly path: string;
  readonly content: string;
}

/** Which objects to export: all of a kind, or one. */
export interface ExportFilter {
  readonly kind: DeclaredKindName;
  readonly name?: string;
}

/**
 * Every declared-kind object of a view as a document of its own, whoever made it; without a filter there is a `weir.yaml` in any case. Secrets
 * that were given as values come out as references to fill in.
 */
export function exportDocuments(view: View, filter?: ExportFilter): readonly ExportedFile[] {
  const steps = exportSteps(view, filter);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps, so that a large export can be sliced: of the view as it is at the first. */
export function* exportSteps(view: View, filter?: ExportFilter): Generator<void, readonly ExportedFile[]> {
  const kinds = filter ? [filter.kind] : declaredKindNames;
  const resources = kinds.flatMap((kind) =>
    [...view.all(kind)].filter(({ name }) => filter?.name === undefined || name === filter.name),
  );
  const files: ExportedFile[] = [];
  for (const resource of resources) if (files.push(fileOf(resource)) % 8 === 0) yield;
  const hasRoot = filter !== undefined || files.some(({ path }) => path === 'weir.yaml');
  return hasRoot ? files : [{ path: 'weir.yaml', content: emptyPlatform }, ...files];
}

const emptyPlatform = 'apiVersion: weir/v1\nkind: Platform\nmetadata:\n  name: platform\n';

/** The path that an exported object has: the Platform in the root manifest, singletons beside it, all else in a folder a kind. */
export function exportPath({ kind, name }: Pick<DeclaredResource, 'kind' | 'name'>): string {
  if (kind === 'Platform') return 'weir.yaml';
  if (kindOf(kind).singleton !== undefined) return `${kindOf(kind).path}.yaml`;
  return `${kind === 'SsoConfig' ? 'sso' : kindOf(kind).path}/${name}.yaml`;
}

function fileOf(resource: DeclaredResource): ExportedFile {
  const { spec, literals } = exportedSpec(resource);
  const { kind, name, labels } = resource;
  const metadata = { name, ...(Object.keys(labels).length > 0 ? { labels } : {}) };
  const lifecycle = lifecycleOf(resource);
  const value = {
    apiVersion: 'weir/v1',
    kind,
    metadata,
    ...(lifecycle ? { lifecycle } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  };
  return { path: exportPath(resource), content: yamlOf(value, literals) };
}

function lifecycleOf({ lifecycle }: DeclaredResource): Partial<DeclaredResource['lifecycle']> | undefined {
  const { protect, onRemove, ignore } = lifecycle;
  const written = {
    ...(protect === defaultLifecycle.protect ? {} : { protect }),
    ...(onRemove === defaultLifecycle.onRemove ? {} : { onRemove }),
    ...(ignore.length === 0 ? {} : { ignore }),
  };
  return Object.keys(written).length > 0 ? written : undefined;
}

// `compat` also quotes what older readers of YAML take for something else, such as yes and 1:30.
const creation = { version: '1.2', schema: 'core', compat: 'yaml-1.1', aliasDuplicateObjects: false } as const;

/** YAML that our own reader reads back as the very same value. */
function yamlOf(value: object, literals: readonly Literal[]): string {
  const document = new Document(value, creation);
  visit(document, {
    Map: (_key, map) => {
      if (isReference(map)) map.flow = true;
    },
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && (unprintable.test(scalar.value) || endsInSpace.test(scalar.value)))
        scalar.type = 'QUOTE_DOUBLE';
    },
  });
  for (const { steps, variable } of literals)
    remark(document, steps, ` was given as a value, which is not shown: set ${variable} where Weir runs`);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).replace(everyUnprintable, asEscape);
}

function isReference(map: Node): boolean {
  if (!isMap(map) || map.items.length !== 1) return false;
  const key = (map.items[0] as Pair).key;
  return isScalar(key) && (key.value === 'fromEnv' || key.value === 'fromFile');
}

function remark(document: Document, steps: readonly (string | number)[], text: string): void {
  const parent = document.getIn(steps.slice(0, -1), true);
  if (!isMap(parent)) return;
  const pair = parent.items.find(({ key }) => isScalar(key) && key.value === steps.at(-1));
  if (pair && isScalar(pair.key)) pair.key.commentBefore = text;
}

// What YAML 1.2 calls not printable (5.1) may stand in a file as an escape only; the same for line ends that are none of its own.
const characters =
  '[\\x00-\\x08\\x0B-\\x1F\\x7F-\\x9F\\u2028\\u2029\\uFEFF\\uFFFE\\uFFFF]|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]';
const unprintable = new RegExp(characters);
const everyUnprintable = new RegExp(characters, 'g');
const endsInSpace = /[ \t]$|[ \t]\n|^[ \t\n]|\n\n$/;

function asEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
