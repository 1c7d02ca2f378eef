// Where a report goes: what --output asks for, and what GitHub Actions gets besides.
import { resolve } from 'node:path';
import { suggest } from '../../core/model/suggest.ts';
import { UsageError } from '../../options.ts';
import { type FormatName, formatNames, isFormat } from './index.ts';

/** One rendering of a report: on stdout, on stderr, in a file, or at the end of a file that others write too. */
export interface Target {
  readonly format: FormatName;
  readonly to: 'stdout' | 'stderr' | { readonly file: string } | { readonly summary: string };
}

/** What decides about targets beside the flags. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** The targets of `--output FORMAT`, `FORMAT=-` (both stdout) and `FORMAT=FILE`, each as typed. Throws `UsageError`. */
export function targetsOf(outputs: readonly string[], { env, cwd }: Surroundings): readonly Target[] {
  const targets = outputs.map(targetOf);
  checkApart(targets, cwd);
  if (!targets.some(({ to }) => to === 'stdout')) targets.push({ format: 'human', to: 'stdout' });
  const annotate = env.GITHUB_ACTIONS === 'true' && !targets.some(({ format }) => format === 'github');
  // The runner reads annotations from both streams, and stdout holds one format only.
  const all: readonly Target[] = annotate ? [...targets, { format: 'github', to: 'stderr' }] : targets;
  return withSummary(all, env.GITHUB_STEP_SUMMARY ?? '', cwd);
}

/** No two renderings share a stream or a file. */
function checkApart(targets: readonly Target[], cwd: string): void {
  const printed = targets.filter(({ to }) => to === 'stdout');
  if (printed.length > 1)
    throw new UsageError(
      `--output cannot print both ${printed.map(({ format }) => format).join(' and ')}, because stdout holds one format only: write one of them to a file, as in --output ${printed[1]?.format}=FILE`,
    );
  const files = targets.flatMap(({ to }) => (typeof to === 'object' && 'file' in to ? [resolve(cwd, to.file)] : []));
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined)
    throw new UsageError(`--output cannot write two formats to ${twice}: name a file for each of them`);
}

/**
 * A job's summary on GitHub is a file that its steps add to. It is written where Markdown or annotations were asked for; where it was named
 * as a file, it is added to as well, and never replaced.
 */
function withSummary(targets: readonly Target[], summary: string, cwd: string): readonly Target[] {
  if (summary === '') return targets;
  const isSummary = ({ to }: Target) =>
    typeof to === 'object' && 'file' in to && resolve(cwd, to.file) === resolve(cwd, summary);
  const others = targets.filter((target) => !isSummary(target));
  const named = targets.find(isSummary);
  if (named) return [...others, { format: named.format, to: { summary } }];
  const wanted = targets.some(({ format, to }) => format === 'markdown' || (format === 'github' && to !== 'stderr'));
  return wanted ? [...targets, { format: 'markdown', to: { summary } }] : targets;
}

function targetOf(output: string): Target {
  const [name = '', ...rest] = output.split('=');
  const file = rest.join('=');
  if (!isFormat(name)) throw new UsageError(unknownFormat(name));
  if (rest.length > 0 && file === '')
    throw new UsageError(`--output ${output} names no file: write --output ${name}=FILE`);
  return { format: name, to: rest.length === 0 || file === '-' ? 'stdout' : { file } };
}

function unknownFormat(name: string): string {
  const nearest = suggest(name, formatNames);
  const advice = nearest === undefined ? `write one of ${formatNames.join(', ')}` : `did you mean ${nearest}?`;
  return `--output cannot be ${JSON.stringify(name)}, because there is no such format: ${advice}`;
}
