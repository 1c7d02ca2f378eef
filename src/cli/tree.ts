// Reads the tree that a command names, and reports on it.
import { relative, resolve } from 'node:path';
import { type LoadedTree, loadTree } from '../control/tree.ts';
import type { Facts } from '../core/rules/facts.ts';
import type { Io } from './io.ts';
import { withProgress } from './progress.ts';
import type { CheckReport, PlanReport, Texts } from './report.ts';

/** The folder of the tree where none is named. */
export const defaultTree = 'config';

/** Reads and judges the tree at `folder` in an environment; `git` asks where it stands in git. Throws `TreeMissing`. */
export function readTreeAt(
  folder: string,
  facts: Facts,
  io: Io,
  { git, env }: { readonly git: boolean; readonly env: string | undefined },
): Promise<LoadedTree> {
  return withProgress(io, `reading ${folder}`, () => loadTree(folder, { facts, git, overlay: env }));
}

/** The findings of a tree on its own. */
export function checkReport(folder: string, loaded: LoadedTree, io: Io): CheckReport {
  const { tree, findings, source } = loaded;
  const documents = [...tree.files.values()].reduce((sum, file) => sum + file.documents.length, 0);
  return { type: 'check', findings, files: source.files, documents, ...surroundings(folder, loaded, io) };
}

/** What a plan's report takes from the tree. */
export function surroundings(
  folder: string,
  { tree }: LoadedTree,
  io: Io,
): Pick<PlanReport, 'texts' | 'root' | 'seconds'> {
  const texts: Texts = new Map([...tree.files.values()].map(({ path, text }) => [path, text]));
  return { texts, root: relative(io.cwd, resolve(io.cwd, folder)).replaceAll('\\', '/'), seconds: io.elapsed() / 1000 };
}
