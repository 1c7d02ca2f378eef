// The Node-RED beside the agent: its files, its modules, and its process, which comes back when it ends by itself.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readJson, writeJson } from './files.mjs';

const run = promisify(execFile);
const settingsFile = fileURLToPath(new URL('settings.cjs', import.meta.url));

export function runtimeIn({ folder, nodeRed, listen, editorPassword, log, onState, onDeploy }) {
  const at = (name) => join(folder, name);
  const main = join(nodeRed, 'node_modules/node-red');
  const runtimeVersion = readJson(join(main, 'package.json'))?.version;
  if (!runtimeVersion) throw new Error(`there is no Node-RED: npm install node-red --prefix ${nodeRed}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let [child, retry, settling, known, isClosed, crashes, state] = [, , , '', false, 0, 'stopped'];
  const contents = () => {
    const [flows = [], credentials, manifest] = ['flows', 'flows_cred', 'package'].map((name) => readJson(at(`${name}.json`)));
    return { flows, credentials, modules: manifest?.dependencies ?? {} };
  };
  const become = (now) => onState((state = now));
  const look = () => {
    const now = JSON.stringify(contents());
    if (now !== known && child) onDeploy();
    known = now;
  };
  // Node-RED writes its files at each deploy, one after another.
  watch(folder, () => {
    clearTimeout(settling);
    if (child) settling = setTimeout(look, 500);
  });

  const launch = (wanted) => {
    if (isClosed) return;
    const { mode, credentialSecret, snapshotEnvironment = [], environment = [] } = wanted;
    const variables = [...snapshotEnvironment, ...environment].map(({ name, value }) => [name, value]);
    const WEIR_RUNTIME = JSON.stringify({ mode, listen, credentialSecret, editorPassword });
    const env = { ...process.env, ...Object.fromEntries(variables), WEIR_RUNTIME };
    const [began, args] = [Date.now(), [join(main, 'red.js'), '--userDir', folder, '--settings', settingsFile]];
    const own = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    child = own;
    known = JSON.stringify(contents());
    become('starting');
    own.stdout.on('data', (text) => {
      process.stdout.write(text);
      if (child === own && String(text).includes('Started flows')) become('running');
    });
    own.once('exit', (code, signal) => {
      if (child !== own) return;
      child = undefined;
      log(`Node-RED ended by itself (${signal ?? code}), and starts again, later each time`);
      retry = setTimeout(launch, Math.min(60_000, 1000 * 2 ** crashes), wanted);
      crashes = Date.now() - began > 60_000 ? 0 : crashes + 1;
      become('crashed');
    });
  };
  const stop = async () => {
    for (const timer of [retry, settling]) clearTimeout(timer);
    const old = child;
    child = undefined;
    if (old?.exitCode !== null || old.signalCode !== null) return;
    setTimeout(() => old.kill('SIGKILL'), 8000).unref();
    old.kill('SIGTERM');
    await new Promise((done) => old.once('exit', done));
    become('stopped');
  };
  return {
    contents,
    status: () => ({ state, runtimeVersion }),
    isEmpty: () => contents().flows.length === 0,
    /** Starts it, or starts it anew. */
    start: async (wanted) => {
      await stop();
      crashes = 0;
      launch(wanted);
    },
    /** Puts a snapshot in place of what is there. Its modules come first: where they cannot be had, nothing changes. */
    put: async ({ flows, credentials = {}, modules: wanted }) => {
      const had = contents().modules;
      const have = (dependencies) => writeJson(at('package.json'), { private: true, dependencies });
      if (JSON.stringify(wanted) !== JSON.stringify(had)) {
        have(wanted);
        const install = run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder });
        await install.catch((error) => {
          have(had);
          throw error;
        });
      }
      await stop();
      writeJson(at('flows.json'), flows);
      writeJson(at('flows_cred.json'), credentials);
    },
    close: () => {
      isClosed = true;
      return stop();
    },
  };
}
