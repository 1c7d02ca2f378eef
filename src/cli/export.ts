// weir export: the declared objects of a store, as documents.
import { resolve } from 'node:path';
import { suggest } from '../core/model/suggest.ts';
import type { View } from '../core/model/view.ts';
import { type ExportedFile, type ExportFilter, exportDocuments } from '../manifests/export.ts';
import { UsageError } from '../options.ts';
import { addressIn, kindIn } from './consents.ts';
import { exitCodes } from './exit-codes.ts';
import { exportEdit } from './export-edit.ts';
import { writeNewFiles } from './files.ts';
import { defaultTree } from './tree.ts';
import type { Verb } from './verb.ts';
import { openStoreAt } from './workbench.ts';

export const exportTree: Verb = {
  usage: '[KIND[/NAME]] [DIR]',
  words: { least: 0, most: 2 },
  options: ['store', 'secretKeyFile', 'out', 'with', 'env'],
  out: 'folder',
  notes: { out: 'writes a tree into this folder, instead of printing it' },
  details: `Objects that were made through the API are exported as well. A secret comes out as a reference; one that was given as a value becomes a
variable to set. No lock is taken, so it may be run beside a server. With --with it reads no store, but the tree at DIR (default
${defaultTree}), and prints what to change in it, as a diff: CHANGE.json is the body of the PUT that the API refused.`,
  examples: [
    'weir export --out exported',
    'weir export Stack',
    'weir export TeamType/starter',
    'weir export Stack/nr-4 config --with change.json | git apply',
  ],
  async run({ args: [word, folder], options, io }) {
    const filter = word === undefined ? undefined : filterOf(word);
    if (options.with !== undefined) {
      if (filter?.name === undefined)
        throw new UsageError('--with needs the object: weir export KIND/NAME --with CHANGE.json');
      return exportEdit({ kind: filter.kind, name: filter.name }, folder ?? defaultTree, { options, io });
    }
    if (folder !== undefined)
      throw new UsageError(`export reads a store: it takes ${JSON.stringify(folder)} with --with only`);
    const store = await openStoreAt(options, io, { create: false, readOnly: true });
    try {
      const view = store.read();
      const files = exportDocuments(view, filter);
      if (filter?.name !== undefined && files.length === 0)
        throw new UsageError(nothingOf(view, filter.kind, filter.name));
      if (options.out === undefined) io.stdout.write(printed(files));
      else {
        await writeNewFiles(resolve(io.cwd, options.out), files, 'export');
        io.stderr.write(`wrote ${files.length} file${files.length === 1 ? '' : 's'} to ${options.out}\n`);
      }
      return exitCodes.fine;
    } finally {
      await store.close();
    }
  },
};

function filterOf(word: string): ExportFilter {
  if (!word.includes('/')) return { kind: kindIn(word) };
  const [kind = '', name = ''] = addressIn(word).split('/');
  return { kind: kindIn(kind), name };
}

function nothingOf(view: View, kind: ExportFilter['kind'], name: string): string {
  const names = [...view.all(kind)].map((resource) => resource.name);
  const nearest = suggest(name, names);
  return `there is no ${kind}/${name} in the store${nearest === undefined ? '' : `: did you mean ${kind}/${nearest}?`}`;
}

/** One text of many documents, each under the path that it would have. */
function printed(files: readonly ExportedFile[]): string {
  return files.map(({ path, content }) => `---\n# ${path}\n${content}`).join('');
}
