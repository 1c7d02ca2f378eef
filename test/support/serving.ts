// Starts `weir serve` as a process, and waits for what a process does.
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type RunningCommand, startCommand } from './run-command.ts';
import { launcher, plainEnvironment } from './weir.ts';

/** A server that runs, and where. */
export type Serving = RunningCommand & { readonly url: string };

/** Starts `weir serve ARGS` in a folder on a free port, and waits until it says where. */
export async function serve(
  { path }: { readonly path: string },
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  timeoutMs = 60_000,
): Promise<Serving> {
  const running = startCommand(process.execPath, [launcher, 'serve', '--port', '0', ...args], {
    cwd: path,
    env: { ...plainEnvironment(), ...env },
    timeoutMs,
  });
  const url = await until(
    () =>
      / on (http:\/\/\S+)\n/.exec(running.output().stdout)?.[1] ??
      (running.child.exitCode === null ? undefined : 'ended'),
    running,
  );
  assert.is.not(url, 'ended', running.output().stderr);
  return { ...running, url };
}

/** Looks again and again, until there is something to see. */
export async function until<T>(
  look: () => T | undefined | Promise<T | undefined>,
  { output }: Pick<RunningCommand, 'output'>,
): Promise<T> {
  for (const start = performance.now(); performance.now() - start < 45_000; await sleep(20)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`waited in vain: ${JSON.stringify(output())}`);
}

/** Signs in on a server, and mints a token as a person would. */
export async function mintOn(
  url: string,
  { username, password }: { readonly username: string; readonly password: string },
  body: { readonly name: string; readonly scope: 'plan' | 'full' },
): Promise<string> {
  const post = async (path: string, content: object, headers: Readonly<Record<string, string>> = {}) => {
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        body: JSON.stringify(content),
        headers: { 'content-type': 'application/json', origin: url, ...headers },
      });
      // A machine that does much else at the same time.
      if (answer.status !== 503 || attempt === 20) return answer;
      await sleep(500);
    }
  };
  const signedIn = await post('/account/login', { username, password });
  assert.is(signedIn.status, 200, await signedIn.text());
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const made = await post('/api/v1/user/tokens', body, { cookie });
  const { token } = JSON.parse(await made.text());
  assert.type(token, 'string');
  return token;
}
