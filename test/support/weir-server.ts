// The real `weir serve`, as a process, on a store of its own, with an admin: it can be stopped and started again.
import { freePort } from './free-port.ts';
import { startCommand } from './run-command.ts';
import { addressOf } from './serving.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';
import { launcher, plainEnvironment, weir } from './weir.ts';

export interface WeirServer {
  /** Where it listens; the same after a restart. */
  readonly url: string;
  /** What it logged, before restarts too. */
  log(): string;
  /** Asks the API as an admin. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  admin(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one on a tree below `config/`. `baseUrlOf` says what people are to call it, where that is not where it listens. */
export async function startWeirServer(
  files: Readonly<Record<string, string>>,
  baseUrlOf: (url: string) => string = (url) => url,
): Promise<WeirServer> {
  const folder = temporaryFolder();
  await writeFiles(folder.path, files);
  const { stdout, stderr } = await weir(folder.path, ['bootstrap']);
  if (stdout === '') throw new Error(stderr);
  const { token }: { token: string } = JSON.parse(stdout);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logs: string[] = [];

  async function serve() {
    const flags = ['--port', String(port), '--base-url', baseUrlOf(url)];
    const command = startCommand(process.execPath, [launcher, 'serve', ...flags], {
      cwd: folder.path,
      env: plainEnvironment(),
    });
    await addressOf(command);
    return command;
  }

  let running = await serve();

  async function end(): Promise<void> {
    running.child.kill('SIGTERM');
    const { code, stderr: told } = await running.ended;
    logs.push(told);
    if (code !== 0) throw new Error(`weir ended with ${code}:\n${told}`);
  }

  return {
    url,
    log: () => [...logs, running.output().stderr].join(''),
    admin: async (method, path, body) => {
      const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
      const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
      return { status: response.status, body: await response.json() };
    },
    restart: async () => {
      await end();
      running = await serve();
    },
    stop: async () => {
      await end();
      await folder.remove();
    },
  };
}
