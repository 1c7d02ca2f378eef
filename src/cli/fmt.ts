// weir fmt: every document file of a tree in its canonical form.
import { join, resolve } from 'node:path';
import { TreeMissing } from '../control/failures.ts';
import { readTree } from '../control/tree.ts';
import { format } from '../manifests/format.ts';
import { environmentsIn } from '../manifests/read.ts';
import { type FileEntry, isMissing } from '../manifests/tree.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';
import { escaped } from './output/escape.ts';
import { amount, findingsText } from './output/findings-text.ts';
import { styleOf } from './output/style.ts';
import { defaultTree } from './tree.ts';
import { notWritten } from './unwritten.ts';
import type { Verb } from './verb.ts';
import { writeWhole } from './write-whole.ts';

export const fmt: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: ['env', 'check', 'quiet'],
  notes: { env: 'formats the files of this environment and of the base alone' },
  details: `DIR is the folder that holds weir.yaml (default ${defaultTree}). Formats every document file in it, those of all overlays too: keys in the order
of the schemas, two spaces, comments with what they are about. Nothing that a document means changes, nor the order of a list. Lists the
files that it changed. A file that is no YAML is named and left alone, the others are formatted, and the exit code is 1.`,
  examples: ['weir fmt', 'weir fmt config --check'],
  async run({ args: [folder = defaultTree], options, io }) {
    const root = resolve(io.cwd, folder);
    const entries = await entriesOf(root, folder, options.env);
    const results = entries.map((entry) => ({ entry, result: format(entry.path, entry.text) }));
    const changed = results.flatMap(({ entry, result }) =>
      'text' in result && result.text !== entry.text ? [{ path: entry.path, text: result.text }] : [],
    );
    for (const { path, text } of options.check ? [] : changed) write(join(root, path), text);
    io.stdout.write(changed.map(({ path }) => `${escaped(join(folder, path))}\n`).join(''));
    const isSound = tellBroken(
      entries,
      results.flatMap(({ result }) => ('findings' in result ? result.findings : [])),
      io,
    );
    return codeOf(changed.length, options.check, isSound, io);
  },
};

/** Every document file: those of the tree, and those of its overlays, or of the one that is named. */
async function entriesOf(root: string, folder: string, env: string | undefined): Promise<readonly FileEntry[]> {
  const found = new Map<string, FileEntry>();
  for (const overlay of env === undefined ? [undefined, ...environmentsIn(root)] : [env]) {
    const reading = await readTree(root, { overlay });
    if (!isMissing(reading)) for (const [path, entry] of reading.files) found.set(path, entry);
    else if (overlay === env) throw new TreeMissing(reading.message.replaceAll(root, folder));
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function write(file: string, text: string): void {
  try {
    writeWhole(file, text);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Answers whether there was nothing to tell. */
function tellBroken(entries: readonly FileEntry[], found: Parameters<typeof findingsText>[0], io: Io): boolean {
  // What could not be read at all has no text that could be wrong.
  const unread = entries.filter(({ stat }) => stat === undefined).flatMap(({ findings }) => findings);
  const findings = [...found, ...unread];
  if (findings.length === 0) return true;
  const texts = new Map(entries.map(({ path, text }) => [path, text]));
  io.stderr.write(findingsText(findings, texts, styleOf(io.stderr.colours)));
  return false;
}

function codeOf(changed: number, check: boolean, isSound: boolean, io: Io): ExitCode {
  const verb = check ? 'not formatted: run weir fmt' : 'formatted';
  if (changed > 0 && (check || !io.quiet)) io.stderr.write(`${amount(changed, 'file')} ${verb}\n`);
  return isSound && (changed === 0 || !check) ? exitCodes.fine : exitCodes.invalid;
}
