// A tree, read and judged: what it wants, and everything that is wrong with it on its own.
import type { Finding } from '../core/model/finding.ts';
import { type DecodeCache, type DesiredTree, desireSteps } from '../core/plan/desired-tree.ts';
import { type JudgeMemory, judgeSteps } from '../core/plan/judge.ts';
import type { PlanSource } from '../core/plan/plan-document.ts';
import type { Facts } from '../core/rules/facts.ts';
import { createSlicer, inSlices, type Slicer } from '../lib/slice.ts';
import { commitOf } from '../manifests/git.ts';
import { read } from '../manifests/read.ts';
import { isMissing, type Missing, type Tree } from '../manifests/tree.ts';
import { TreeMissing } from './failures.ts';

/** A tree that was read, with all its findings: of reading, of the schemas, and of every rule that needs no store. */
export interface LoadedTree {
  readonly tree: Tree;
  readonly desired: DesiredTree;
  readonly findings: readonly Finding[];
  readonly source: PlanSource;
}

export interface LoadOptions {
  readonly facts: Facts;
  /** An earlier reading of the same folder. */
  readonly previous?: Tree | Missing | undefined;
  readonly overlay?: string | undefined;
  /** What earlier documents decoded to; unchanged ones cost a look-up. */
  readonly decoded?: DecodeCache;
  /** The last valid tree of this folder: one that differs a little is judged by its differences. */
  readonly judged?: JudgeMemory;
  readonly slicer?: Slicer;
  /** Whether to ask git where the tree stands. */
  readonly git?: boolean;
}

/** Reads the tree at `root` and judges it. Throws `TreeMissing` where there is none. */
export async function loadTree(root: string, options: LoadOptions): Promise<LoadedTree> {
  const reading = await readTree(root, options);
  if (isMissing(reading)) throw new TreeMissing(reading.message);
  return judgeTree(reading, options);
}

/** Reads the tree at `root`, with the files that its documents draw in. */
export function readTree(
  root: string,
  { previous, overlay, slicer }: Omit<LoadOptions, 'facts'>,
): Promise<Tree | Missing> {
  return read(root, { previous, overlay, slicer });
}

/** Judges a tree that was read. */
export async function judgeTree(tree: Tree, options: LoadOptions): Promise<LoadedTree> {
  const slicer = options.slicer ?? createSlicer();
  const files = [...tree.files.values()];
  const readPublicFile = tree.file;
  const desired = await inSlices(desireSteps({ ...tree, files, readPublicFile }, options.decoded), slicer);
  const judged = await inSlices(judgeSteps(desired, options.facts, options.judged), slicer);
  const commit = options.git === false ? undefined : await commitOf(tree.root);
  const source = { digest: tree.digest, ...(commit ?? {}), files: tree.files.size };
  return { tree, desired, findings: [...desired.findings, ...judged], source };
}
