// Starts `weir serve` as a process, and waits for what a process does.
import * as assert from 'uvu/assert';
import { type RunningCommand, startCommand } from './run-command.ts';
import { until } from './until.ts';
import { launcher, plainEnvironment } from './weir.ts';

/** A server that runs, and where. */
export type Serving = RunningCommand & { readonly url: string };

/** Starts `weir serve ARGS` in a folder on a free port, and waits until it says where. */
export async function serve(
  { path }: { readonly path: string },
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Serving> {
  const running = startCommand(process.execPath, [launcher, 'serve', '--port', '0', ...args], {
    cwd: path,
    env: { ...plainEnvironment(), ...env },
  });
  return { ...running, url: await addressOf(running) };
}

/** Where a server that was started says that it serves. One that does not is ended: nobody else knows of it yet. */
export async function addressOf(server: Pick<RunningCommand, 'child' | 'output'>): Promise<string> {
  const address = () => / on (https?:\/\/\S+)\n/.exec(server.output().stdout)?.[1];
  try {
    return await until('it serves', address, { program: server });
  } catch (error) {
    server.child.kill('SIGKILL');
    throw error;
  }
}

/** Signs in on a server, and mints a token as a person would. */
export async function mintOn(
  url: string,
  { username, password }: { readonly username: string; readonly password: string },
  body: { readonly name: string; readonly scope: 'plan' | 'full' },
): Promise<string> {
  const post = (path: string, content: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(content),
      headers: { 'content-type': 'application/json', origin: url, ...headers },
    });
  const signedIn = await post('/account/login', { username, password });
  assert.is(signedIn.status, 200, await signedIn.text());
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const made = await post('/api/v1/user/tokens', body, { cookie });
  const { token } = JSON.parse(await made.text());
  assert.type(token, 'string');
  return token;
}
