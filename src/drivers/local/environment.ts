// The environment of what the local driver starts: its own, with nothing of Weir's but what every program needs.
import { delimiter, dirname } from 'node:path';

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
