// vanished: a folder whose documents are all gone, or a kind that is, deletes nothing without consent: what is not mounted looks the same.
import { type DeclaredKindName, declaredKindNames } from '../kinds/index.ts';
import type { Change } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { howToAllowDeletes } from './how-to-consent.ts';
import { isDeclared, isOfTree } from './protected.ts';
import { type Batch, type Rule, some, violation } from './rule.ts';

export const vanished: Rule = {
  id: 'vanished',
  refuses:
    'a folder all of whose documents are gone at once, or the last object of a declared kind, without consent to the exact number of deletions',
  *check(batch) {
    // That the number is the exact one is the business of mass-delete.
    if (batch.door !== 'config' || batch.consents.allowDeletes !== undefined) return;
    const { emptyFiles } = batch.tree ?? {};
    // An emptied file is refused whatever was consented to.
    const gone = goneIn(batch.changes).filter(({ source }) => !emptyFiles?.has(source?.file ?? ''));
    if (gone.length === 0) return;
    const left = leftOf(batch, gone);
    const lost = gone.filter(({ source }) => source && !left.folders.has(folderOf(source.file)));
    const told = new Set(lost.map(({ id }) => id));
    for (const [folder, objects] of Map.groupBy(lost, ({ source }) => widest(folderOf(source?.file ?? ''), left)))
      yield refuse(batch, lossOfFolder(folder, objects));
    for (const [kind, objects] of Map.groupBy(gone, (one) => one.kind)) {
      // What the folder says already need not be said of the kind.
      if (left.kinds.has(kind) || objects.every(({ id }) => told.has(id))) continue;
      yield refuse(batch, lossOfKind(kind, objects));
    }
  },
};

/** What documents declared and no longer do: deleted, or let go, which is as bad when the documents come back. */
function goneIn(changes: readonly Change[]): DeclaredResource[] {
  const gone: DeclaredResource[] = [];
  for (const { before, after } of changes)
    if (before && isOfTree(before) && !(after && isOfTree(after))) gone.push(before);
  return gone;
}

/** Folders and kinds that documents still have: those of what stays (also where it moved), and of what is new. */
interface Left {
  readonly folders: ReadonlySet<string>;
  readonly kinds: ReadonlySet<DeclaredKindName>;
}

function leftOf({ before, changes }: Batch, gone: readonly DeclaredResource[]): Left {
  const folders = new Set<string>();
  const kinds = new Set<DeclaredKindName>();
  const ids = new Set(gone.map(({ id }) => id));
  const note = (one: DeclaredResource) => {
    kinds.add(one.kind);
    // The Platform cannot go, so that it is there says nothing of what stood beside it.
    if (one.source && one.kind !== 'Platform') folders.add(folderOf(one.source.file));
  };
  for (const one of ofTree(before)) if (!ids.has(one.id)) note(one);
  for (const { after } of changes) if (after && isOfTree(after)) note(after);
  return { folders, kinds };
}

function* ofTree(view: View): Iterable<DeclaredResource> {
  for (const kind of declaredKindNames) for (const one of view.all(kind)) if (isOfTree(one)) yield one;
}

/** The folder of a file; the root is `''`. */
function folderOf(file: string): string {
  return file.slice(0, Math.max(0, file.lastIndexOf('/')));
}

/** The widest folder around one in which nothing is left; the root only stands for itself. */
function widest(folder: string, { folders }: Left): string {
  const above = folderOf(folder);
  const isLeft = above === '' || [...folders].some((one) => one === above || one.startsWith(`${above}/`));
  return isLeft ? folder : widest(above, { folders, kinds: new Set() });
}

/** What would be lost: the objects of a folder, or the last ones of a kind. */
interface Loss {
  readonly objects: readonly DeclaredResource[];
  /** What they are, one or several. */
  readonly one: string;
  readonly all: string;
  readonly because: string;
}

function lossOfFolder(folder: string, objects: readonly DeclaredResource[]): Loss {
  const where = folder === '' ? 'the root folder' : `the folder ${folder}`;
  const all = `all ${objects.length} objects of ${where}`;
  return { objects, one: `the only object of ${where}`, all, because: 'a folder that is not mounted looks the same' };
}

function lossOfKind(kind: string, objects: readonly DeclaredResource[]): Loss {
  const all = `the last ${objects.length} objects of kind ${kind}`;
  return { objects, one: `the last ${kind}`, all, because: 'a tree of which a part is missing looks the same' };
}

function refuse({ changes }: Batch, { objects, one, all, because }: Loss): Finding {
  const deletions = changes.filter(({ before, after }) => before && !after && isDeclared(before));
  const ids = new Set(deletions.map(({ id }) => id));
  const verb = objects.some(({ id }) => ids.has(id)) ? 'delete' : 'let go of';
  const names = some(objects.map(addressOf).sort(), objects.length);
  const what = objects.length === 1 ? `${names}, ${one},` : `${all} (${names}),`;
  const consent = howToAllowDeletes(deletions.length);
  const cannot = `this plan cannot ${verb} ${what} because ${because}: ${consent}`;
  return violation('vanished', { kind: 'Platform', name: 'platform' }, '', cannot);
}
