// A tree that was sent as texts, read and judged as the folder that holds them would be.
import { type Finding, hasErrors } from '../core/model/finding.ts';
import type { Facts } from '../core/rules/facts.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import { type TextFile, treeOfTextsSteps } from '../manifests/texts.ts';
import { isMissing, ROOT_MANIFEST } from '../manifests/tree.ts';
import { TreeInvalid, TreeMissing } from './failures.ts';
import type { PostedTree } from './reconciler.ts';
import { judgeTree, type LoadedTree } from './tree.ts';

/**
 * Judges a tree that was sent. What it says of git is the sender's word: where this process stands is no part of it. Throws `TreeInvalid`, and
 * `TreeMissing`.
 */
export async function judgePosted(
  { documents, environment, source }: Omit<PostedTree, 'consents'>,
  facts: Facts,
): Promise<LoadedTree> {
  const slicer = createSlicer();
  if ((await inSlices(markersIn(documents), slicer)) > maxDocuments) throw new TreeInvalid([tooMany]);
  const reading = await inSlices(treeOfTextsSteps(documents, environment), slicer);
  if (isMissing(reading)) throw new TreeMissing(reading.message);
  const loaded = await judgeTree(reading, { facts, git: false, slicer });
  if (hasErrors(loaded.findings)) throw new TreeInvalid(loaded.findings);
  return { ...loaded, source: { ...loaded.source, ...source } };
}

/** What a plan of so many takes is a few hundred megabytes. */
const maxDocuments = 50_000;

const tooMany: Finding = {
  rule: 'syntax',
  severity: 'error',
  message: `the tree cannot be planned here, because it holds more than ${maxDocuments} documents: plan it beside its store, with "weir plan DIR --store"`,
  source: { file: ROOT_MANIFEST, line: 1, column: 1, endLine: 1, endColumn: 1 },
};

/** How many documents there may be, without parsing any: a file may have one, and one more after each marker that begins or ends one. */
function* markersIn(files: readonly TextFile[]): Generator<void, number> {
  let count = files.length;
  for (const { content } of files) {
    for (const marker of ['\n---', '\n...'])
      for (let at = content.indexOf(marker); at !== -1; at = content.indexOf(marker, at + 4)) count += 1;
    yield;
  }
  return count;
}
