// The environment of what the local driver starts: its own, with nothing of Weir's but what every program needs.
import { delimiter, dirname } from 'node:path';
import { withoutReserved } from '../../core/instances/reserved-variables.ts';

/** What comes from Weir's environment: where programs and temporary files are, and how text is written. */
const common = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR', 'SystemRoot', 'PATHEXT'] as const;

/** The variable that marks a runtime and all that it starts. */
export const marker = 'INSTANCE_RUN';

/** The environment of a program: `own` over what all have. Weir's Node comes first on the path, before others that may be older. */
export function environmentOf(
  env: NodeJS.ProcessEnv,
  node: string,
  own: Readonly<Record<string, string | undefined>>,
): NodeJS.ProcessEnv {
  const inherited = common.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const path = [dirname(node), ...(env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter)];
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(inherited), PATH: [...new Set(path)].join(delimiter), ...Object.fromEntries(given) };
}

/** The variables of an instance that its runtime gets, and the names of those that steer the process, which it does not: they may be there from before there was a rule. */
export function variablesOf(variables: readonly { readonly name: string; readonly value: string }[]): {
  readonly given: Readonly<Record<string, string>>;
  readonly left: readonly string[];
} {
  const { given, left } = withoutReserved(variables, { of: 'instance', anyCase: process.platform === 'win32' });
  return { given: Object.fromEntries(given.map(({ name, value }) => [name, value])), left };
}

/** What the log of an instance says of them. */
export function leftOutLine(left: readonly string[]): string {
  const [what, they] = left.length === 1 ? ['the variable', 'it steers'] : ['the variables', 'they steer'];
  return `${new Date().toISOString()} warn  ${what} ${left.join(', ')} left out, because ${they} the process of the runtime\n`;
}
