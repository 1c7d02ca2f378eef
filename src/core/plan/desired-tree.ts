// A tree on its own: all documents decoded, and every problem that can be told without a store.
import { publicFilesOf } from '../kinds/public-files.ts';
import type { Document } from '../model/document.ts';
import type { Finding } from '../model/finding.ts';
import type { LooseOverlay, TreeFacts } from '../rules/rule.ts';
import { decode } from './decode.ts';
import type { Decoded, Desired, FileReader, Salvaged } from './desired.ts';
import { withItemsFollowed } from './ignored-items.ts';
import { looseOverlay, type Merges, withMeant, withoutBase, wrongAsPart } from './loose-overlays.ts';

/** What was read of a tree: documents in order, files, and what the reader found wrong. */
export interface ReadTree {
  readonly documents: readonly Document[];
  /** All files that were read, with how many documents each holds, and the text of those that could not be parsed. */
  readonly files: Iterable<{
    readonly path: string;
    readonly documents: readonly Document[];
    readonly broken: boolean;
    readonly text: string;
  }>;
  readonly findings: readonly Finding[];
  readonly readPublicFile: FileReader;
  readonly merges?: Merges;
}

/** A tree as it is wanted: `desired` by address; `findings` say what is wrong with the tree itself. */
export interface DesiredTree {
  readonly desired: ReadonlyMap<string, Desired>;
  /** What can be read of documents that are wrong, by address; nothing else declares these. */
  readonly salvaged: ReadonlyMap<string, Salvaged>;
  readonly findings: readonly Finding[];
  readonly facts: TreeFacts;
}

/** Decoded documents of earlier readings, so that an unchanged document costs a look-up. */
export type DecodeCache = WeakMap<Document, Decoded>;

/** Reads a tree's documents, in steps so that a long one can be sliced. The root manifest's name is `weir.yaml`. */
export function* desireSteps(tree: ReadTree, cache: DecodeCache = new WeakMap()): Generator<void, DesiredTree, void> {
  const sheet: Sheet = { desired: new Map(), wrong: [], broken: new Set(), findings: [...tree.findings], overlays: [] };
  const { desired, wrong, broken, findings, overlays } = sheet;
  const loose = withoutBase(tree.merges);
  let steps = 0;
  for (const document of tree.documents) {
    const decoded = decodeOnce(document, tree.readPublicFile, cache);
    enter(sheet, decoded, loose.has(document) ? looseOverlay(document, decoded) : undefined);
    if (++steps % 32 === 0) yield;
  }
  const problems = [...rootProblems(tree, desired, broken), ...previousNameProblems(desired)];
  for (const name of namesInBroken(tree)) broken.add(name);
  const salvaged = new Map<string, Salvaged>();
  for (const one of wrong) problems.push(...addSalvaged(salvaged, desired, one));
  const partial = new Set([...salvaged].flatMap(([address, { unread }]) => unread.map((path) => address + path)));
  const declared = [...desired.keys(), ...salvaged.keys()];
  const facts = { broken, partial, emptyFiles: emptyFilesOf(tree), overlays: withMeant(overlays, declared, broken) };
  const followed = withItemsFollowed(desired);
  return { desired: followed.desired, salvaged, findings: findings.concat(problems, followed.findings), facts };
}

/** What reading a tree has come to so far. */
interface Sheet {
  readonly desired: Map<string, Desired>;
  readonly wrong: Salvaged[];
  readonly broken: Set<string>;
  readonly findings: Finding[];
  readonly overlays: LooseOverlay[];
}

function enter({ desired, wrong, broken, findings, overlays }: Sheet, decoded: Decoded, overlay?: LooseOverlay): void {
  for (const finding of overlay ? wrongAsPart(decoded) : decoded.findings) findings.push(finding);
  if (overlay) overlays.push(overlay);
  if (decoded.desired) findings.push(...add(desired, decoded.desired));
  else if (decoded.address) broken.add(decoded.address);
  if (decoded.salvaged) wrong.push(decoded.salvaged);
}

/** What stands there twice is told of a wrong document, too. */
function addSalvaged(into: Map<string, Salvaged>, desired: ReadonlyMap<string, Desired>, one: Salvaged): Finding[] {
  const address = `${one.desired.kind}/${one.desired.name}`;
  const first = desired.get(address) ?? into.get(address)?.desired;
  if (first) return [declaredTwice(one.desired, first)];
  into.set(address, one);
  return [];
}

function decodeOnce(document: Document, read: FileReader, cache: DecodeCache): Decoded {
  const known = cache.get(document);
  if (known) return known;
  const decoded = decode(document, read);
  // A file beside the document may change while the document stays the same.
  if (publicFilesOf(document.value).length === 0) cache.set(document, decoded);
  return decoded;
}

function add(into: Map<string, Desired>, desired: Desired): Finding[] {
  const address = `${desired.kind}/${desired.name}`;
  const first = into.get(address);
  if (!first) {
    into.set(address, desired);
    return [];
  }
  return [declaredTwice(desired, first)];
}

function declaredTwice(desired: Desired, first: Desired): Finding {
  const place = first.document.locate('/metadata/name', 'value');
  const what = `cannot be declared twice, because ${place.file}:${place.line} declares it already`;
  return problem('duplicate-object', desired, '/metadata/name', what);
}

function problem(rule: string, desired: Desired, path: string, what: string): Finding {
  const { kind, name, document } = desired;
  return {
    rule,
    severity: 'error',
    message: `${kind}/${name}: ${what}`,
    kind,
    name,
    path,
    source: document.locate(path, 'value'),
  };
}

/** The Platform stands in the root manifest, and the root manifest declares it. */
function rootProblems(tree: ReadTree, desired: ReadonlyMap<string, Desired>, broken: ReadonlySet<string>): Finding[] {
  const platform = desired.get('Platform/platform');
  if (platform && platform.document.file !== 'weir.yaml')
    return [
      problem(
        'schema',
        platform,
        '/kind',
        `cannot be declared in ${platform.document.file}, because the Platform stands in weir.yaml`,
      ),
    ];
  const rootBroken = [...tree.files].some((file) => file.path === 'weir.yaml' && file.broken);
  if (platform || rootBroken || broken.has('Platform/platform') || broken.has('*/platform')) return [];
  const source = { file: 'weir.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 };
  const message =
    'Platform/platform: is missing, because weir.yaml does not declare it: begin weir.yaml with "kind: Platform" and "metadata: {name: platform}"';
  return [{ rule: 'schema', severity: 'error', message, kind: 'Platform', name: 'platform', source }];
}

/** Two documents cannot both have been one object. */
function previousNameProblems(desired: ReadonlyMap<string, Desired>): Finding[] {
  const claims = new Map<string, Desired>();
  const found: Finding[] = [];
  for (const wanted of desired.values())
    wanted.previousNames.forEach((previous, index) => {
      const claim = `${wanted.kind}/${previous}`;
      const first = claims.get(claim);
      const path = `/metadata/previousNames/${index}`;
      if (first)
        found.push(
          problem(
            'duplicate-object',
            wanted,
            path,
            `cannot have been ${previous}, because ${first.kind}/${first.name} says that it was: take the name out of one of the two`,
          ),
        );
      else claims.set(claim, wanted);
    });
  return found;
}

function emptyFilesOf(tree: ReadTree): ReadonlySet<string> {
  const empty = new Set<string>();
  for (const file of tree.files) if (file.documents.length === 0 && !file.broken) empty.add(file.path);
  return empty;
}

/** What unreadable files probably declare, so that others that refer to it are not reported too. */
function* namesInBroken(tree: ReadTree): Iterable<string> {
  for (const { path, text, broken } of tree.files) {
    if (!broken) continue;
    if (path === 'weir.yaml') yield 'Platform/platform';
    // Of a file that nobody could open, nobody knows what it declares.
    if (text === '') yield '*/*';
    for (const [, name] of text.matchAll(/\bname["']?[ \t]*:[ \t]*["']?([a-z0-9][-a-z0-9]{0,62})/g)) yield `*/${name}`;
  }
}
