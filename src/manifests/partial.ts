// A tree of which some files do not stand still: those count as they were when it was last acted on, and nothing is deleted for them.
import { createSlicer, inSlices } from '../lib/slice.ts';
import { assembleSteps } from './assemble.ts';
import { findingAt } from './entry.ts';
import { isSameContent, WHOLE } from './stillness.ts';
import { digestOf, type FileEntry, ROOT_MANIFEST, type Tree } from './tree.ts';

/** A tree as far as it can be told, and the files in it that count as they were. */
export interface PartialTree {
  readonly tree: Tree;
  readonly held: ReadonlySet<string>;
}

/**
 * The later reading with the files of the earlier one in place of those that do not stand still (no file, where there was none). A document that was
 * declared and is in no quiet file may be on its way from one file to another: unless `goneOf` says that it is gone, the file that held it
 * counts as it was, too, as does one that declares what a file that counts as it was declares still.
 */
export async function partialOf(
  next: Tree,
  before: Tree,
  unquiet: Iterable<string>,
  goneOf: (lost: readonly string[]) => ReadonlySet<string>,
): Promise<PartialTree> {
  const held = new Set(unquiet);
  if (held.has(WHOLE) || changesWhatIsRead(next, before, held))
    return { tree: { ...before, unsettled: [...held].sort() }, held };
  const changed = changedPaths(next, before);
  const gone = goneOf(lostIn(next, before, changed, held));
  for (let size = -1; size !== held.size; ) {
    size = held.size;
    const lost = new Set(lostIn(next, before, changed, held).filter((name) => !gone.has(name)));
    const doubled = doubledIn(next, before, changed, held);
    for (const path of changed) {
      const isLosing = namesOf(before.files.get(path)).some((name) => lost.has(name));
      if (isLosing || namesOf(next.files.get(path)).some((name) => doubled.has(name))) held.add(path);
    }
  }
  return { tree: await assembled(next, before, held), held };
}

/** An error at each file that never stands still; `lost` may have moved into one of them. */
export function refusedFor(tree: Tree, paths: Iterable<string>, lost: readonly string[], why = withoutPause): Tree {
  const unknown = lost.length === 0 ? 'read' : `read, nor whether ${lost.slice(0, 3).join(', ')} moved into it be told`;
  const files = [...new Set([...paths].map((path) => (path === WHOLE ? ROOT_MANIFEST : path)))].sort();
  const findings = files.slice(0, 100).map((path) => findingAt(path, 1, 1, `the file cannot be ${unknown}, ${why}`));
  // The names alone, not what was read: as long as it goes on it is told once.
  const digest = digestOf(['restless', ...(lost.length > 0 ? [tree.digest] : []), ...files.slice(0, 1)].join('\0'));
  return { ...tree, findings: [...tree.findings, ...findings], digest };
}

const withoutPause = 'because it is written without pause: stop what writes it, or name it in Platform.spec.exclude';

/** Which files are read at all is told by a file that does not stand still. */
function changesWhatIsRead(next: Tree, before: Tree, held: ReadonlySet<string>): boolean {
  const isTold = [...held].some((path) => path === ROOT_MANIFEST || path.startsWith('overlays/'));
  return (
    isTold &&
    JSON.stringify([next.exclude, next.overlayExclude]) !== JSON.stringify([before.exclude, before.overlayExclude])
  );
}

function changedPaths(next: Tree, before: Tree): string[] {
  const changed: string[] = [];
  for (const [path, entry] of next.files) {
    const was = before.files.get(path);
    if (!was || !isSameContent(was, entry)) changed.push(path);
  }
  for (const path of before.files.keys()) if (!next.files.has(path)) changed.push(path);
  return changed;
}

/** What changed files declared, and none of them does now; of one that is broken that cannot be told, and is an error of its own. */
function lostIn(next: Tree, before: Tree, changed: readonly string[], held: ReadonlySet<string>): string[] {
  const declared = new Set<string>();
  for (const path of changed)
    for (const name of namesOf((held.has(path) ? before : next).files.get(path))) declared.add(name);
  const lost = changed
    .filter((path) => !held.has(path) && next.files.get(path)?.broken !== true)
    .flatMap((path) => namesOf(before.files.get(path)));
  return lost.filter((name) => !declared.has(name));
}

/** What a file of before that counts still declares, and a changed one, too. */
function doubledIn(next: Tree, before: Tree, changed: readonly string[], held: ReadonlySet<string>): Set<string> {
  const kept = new Set([...held].flatMap((path) => namesOf(before.files.get(path))));
  const doubled = new Set<string>();
  for (const path of changed)
    if (!held.has(path)) for (const name of namesOf(next.files.get(path))) if (kept.has(name)) doubled.add(name);
  return doubled;
}

/** What a file declares, apart for overlays: those say more of what the tree declares. */
function namesOf(entry: FileEntry | undefined): string[] {
  if (entry === undefined) return [];
  const layer = entry.path.startsWith('overlays/') ? 'overlay ' : '';
  return entry.documents.map(({ value }) => {
    const { kind, metadata } = Object(value);
    return `${layer}${kind}/${Object(metadata).name}`;
  });
}

async function assembled(next: Tree, before: Tree, held: ReadonlySet<string>): Promise<Tree> {
  const entries = new Map(next.files);
  for (const path of held) {
    const known = before.files.get(path);
    if (known) entries.set(path, known);
    else entries.delete(path);
  }
  // What is found in files comes with their entries again.
  const warnings = next.findings.filter(
    ({ severity, rule, source }) =>
      severity === 'warning' &&
      rule === 'syntax' &&
      !(source && (next.files.has(source.file) || entries.has(source.file))),
  );
  const steps = assembleSteps({ ...next, overlay: next.overlay, entries, warnings, previous: before });
  return { ...(await inSlices(steps, createSlicer())), unsettled: [...held].sort() };
}
