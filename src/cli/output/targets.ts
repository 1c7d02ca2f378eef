// Where a report goes: what --output asks for, and what GitHub Actions gets besides.
import { suggest } from '../../core/model/suggest.ts';
import { UsageError } from '../../options.ts';
import { type FormatName, formatNames, isFormat } from './index.ts';

/** One rendering of a report: on stdout, on stderr, or in a file. */
export interface Target {
  readonly format: FormatName;
  readonly to: 'stdout' | 'stderr' | { readonly file: string };
}

/** The targets of `--output FORMAT` and `--output FORMAT=FILE`, each as typed. Throws `UsageError`. */
export function targetsOf(outputs: readonly string[], env: NodeJS.ProcessEnv): readonly Target[] {
  const targets = outputs.map(targetOf);
  const printed = targets.filter(({ to }) => to === 'stdout');
  if (printed.length > 1)
    throw new UsageError(
      `--output cannot print both ${printed.map(({ format }) => format).join(' and ')}, because stdout holds one format only: write one of them to a file, as in --output ${printed[1]?.format}=FILE`,
    );
  if (printed.length === 0) targets.push({ format: 'human', to: 'stdout' });
  const annotate = env.GITHUB_ACTIONS === 'true' && !targets.some(({ format }) => format === 'github');
  // The runner reads annotations from both streams, and stdout holds one format only.
  return annotate ? [...targets, { format: 'github', to: 'stderr' }] : targets;
}

function targetOf(output: string): Target {
  const [name = '', ...rest] = output.split('=');
  const file = rest.join('=');
  if (!isFormat(name)) throw new UsageError(unknownFormat(name));
  if (rest.length > 0 && file === '')
    throw new UsageError(`--output ${output} names no file: write --output ${name}=FILE`);
  return { format: name, to: rest.length === 0 ? 'stdout' : { file } };
}

function unknownFormat(name: string): string {
  const nearest = suggest(name, formatNames);
  const advice = nearest === undefined ? `write one of ${formatNames.join(', ')}` : `did you mean ${nearest}?`;
  return `--output cannot be ${JSON.stringify(name)}, because there is no such format: ${advice}`;
}
