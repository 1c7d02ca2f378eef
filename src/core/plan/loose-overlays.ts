// The documents of an overlay that were merged over nothing, and what they would be with a base.
import type { DeclaredKindName } from '../kinds/index.ts';
import type { Document } from '../model/document.ts';
import type { Finding } from '../model/finding.ts';
import { suggest } from '../model/suggest.ts';
import type { LooseOverlay } from '../rules/rule.ts';
import type { Decoded } from './desired.ts';

/** What each document of the overlay came to; nothing where no overlay was asked for. */
export type Merges = ReadonlyMap<Document, { readonly base: Document | undefined; readonly merged: Document }>;

/** The merged documents that have no base. */
export function withoutBase(merges: Merges | undefined): ReadonlySet<Document> {
  const loose = [...(merges?.values() ?? [])].filter(({ base }) => base === undefined);
  return new Set(loose.map(({ merged }) => merged));
}

/** What a document says that has no base, where its kind and name can be told: one that is called what it cannot be called is wrong in that. */
export function looseOverlay(document: Document, { address, findings, lacks = [] }: Decoded): LooseOverlay | undefined {
  const [kind = '*', name] = address?.split('/') ?? [];
  if (kind === '*' || name === undefined || findings.some(({ path }) => path === '/metadata/name')) return undefined;
  return { kind: kind as DeclaredKindName, name, lacks, source: document.locate('/metadata/name', 'value') };
}

/** What is wrong with a document beside that it is a part only. */
export function wrongAsPart({ findings, lacks = [] }: Decoded): readonly Finding[] {
  return findings.filter(({ rule, path = '' }) => rule !== 'schema' || !lacks.includes(path));
}

/** The same with the name that was probably meant, of those that the tree declares; without those whose base could not be read. */
export function withMeant(
  overlays: readonly LooseOverlay[],
  addresses: readonly string[],
  broken: ReadonlySet<string>,
): readonly LooseOverlay[] {
  const own = new Set(overlays.map(({ kind, name }) => `${kind}/${name}`));
  const others = addresses.filter((address) => !own.has(address));
  return overlays
    .filter(({ name }) => !broken.has(`*/${name}`))
    .map((one) => {
      const prefix = `${one.kind}/`;
      const names = others
        .filter((address) => address.startsWith(prefix))
        .map((address) => address.slice(prefix.length));
      const meant = suggest(one.name, names);
      return meant === undefined ? one : { ...one, meant };
    });
}
