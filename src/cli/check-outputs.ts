// Looks at what a line wants written before anything is done: what could not be told then would be done for nobody.
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { isInside } from '../manifests/paths.ts';
import { isDocumentName, isSkippedName } from '../manifests/skip.ts';
import { ROOT_MANIFEST } from '../manifests/tree.ts';
import { UsageError } from '../options.ts';
import { Unavailable } from './failure.ts';
import { targetsOf } from './output/targets.ts';
import { defaultTree } from './tree.ts';
import { notWritten } from './unwritten.ts';
import type { Invocation, Verb } from './verb.ts';
import { requireWritable, requireWritableFolder } from './writable.ts';

/** Throws `UsageError` for what would be read as a part of the tree, and `Unavailable` where it is plain that it cannot be written. */
export function checkOutputs(verb: Verb, { args, options, io }: Pick<Invocation, 'args' | 'options' | 'io'>): void {
  const { outputs: formats, out } = wantedBy(verb, { options, io });
  const tree = verb.options.includes('env') ? treeAt(resolve(io.cwd, args[0] ?? defaultTree)) : undefined;
  const files = [
    ...formats.map((file) => ['output', file] as const),
    ...(out?.as === 'file' ? [['out', out.path] as const] : []),
  ];
  for (const [flag, file] of files) if (tree !== undefined) keepOut(flag, file, tree, io);
  const failures = [
    ...files.flatMap(([, file]) => failing(file, requireWritable)),
    ...(out?.as === 'folder' ? failing(out.path, requireWritableFolder) : []),
  ];
  if (failures.length > 0) throw new Unavailable('output_not_written', failures.join('\n'));
}

interface Wanted {
  readonly outputs: readonly string[];
  readonly out?: { readonly path: string; readonly as: 'file' | 'folder' };
}

function wantedBy({ options: known, out }: Verb, { options, io }: Pick<Invocation, 'options' | 'io'>): Wanted {
  const targets = known.includes('output') ? targetsOf(options.output, io) : [];
  const outputs = targets.flatMap(({ to }) =>
    typeof to === 'object' && 'file' in to ? [resolve(io.cwd, to.file)] : [],
  );
  if (out === undefined || options.out === undefined) return { outputs };
  const path = resolve(io.cwd, options.out);
  if (out !== 'either') return { outputs, out: { path, as: out } };
  const there = kindOf(path);
  // What stands there is not written over, and that is told when it is come to.
  return there === 'file' ? { outputs } : { outputs, out: { path, as: there ?? 'file' } };
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

/** The real folder of a tree; nothing where there is none, which is told when it is read. */
function treeAt(folder: string): string | undefined {
  return kindOf(resolve(folder, ROOT_MANIFEST)) === undefined ? undefined : realpathSync(folder);
}

/** What is a document by its name would be read the next time, as a wrong one. What else is saved in the tree may come into Git unnoticed. */
function keepOut(flag: 'out' | 'output', file: string, tree: string, io: Invocation['io']): void {
  const path = pathIn(tree, file);
  if (path === undefined) return;
  const shown = relative(io.cwd, file);
  if (isDocumentName(basename(file)) && !path.split(sep).some(isSkippedName))
    throw new UsageError(
      `--${flag} cannot write ${shown}, because that would be read as a part of the tree: name a file outside of it, or one that does not end with .yaml or .yml`,
    );
  if (flag === 'out') io.stderr.write(`weir: ${shown} is in the tree, which does not read it: keep it out of Git\n`);
}

/** Where a file is, or would be, in a tree; nothing for one that is elsewhere. */
function pathIn(tree: string, file: string): string | undefined {
  try {
    const real = resolve(realpathSync(dirname(file)), basename(file));
    return isInside(tree, real) ? relative(tree, real) : undefined;
  } catch {
    // Without a folder it cannot be written anyway.
    return undefined;
  }
}

function failing(file: string, work: (file: string) => void): readonly string[] {
  try {
    work(file);
    return [];
  } catch (error) {
    return [notWritten(file, error).message];
  }
}
