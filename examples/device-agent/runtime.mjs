// The Node-RED beside the agent: its process, which comes back when it ends by itself, what it says, and what people deploy in it.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { has, readJson } from './files.mjs';

const settingsFile = fileURLToPath(new URL('settings.cjs', import.meta.url));
/** What Node-RED says, and what that tells. Whoever edits flows in developer mode may leave them incomplete. */
const signsOf = Object.entries({ up: 'Started flows', missing: 'Waiting for missing types', listening: 'Server now running' });
const isOver = (child) => !child || child.exitCode !== null || child.signalCode !== null;

/** `env`: what every program of the agent gets. `patience`: how long it may take to come up, in seconds. */
export function runtimeIn({ folder, nodeRed, listen, patience, env, log, onState, onDeploy }) {
  const at = (name) => join(folder, name);
  const main = join(nodeRed, 'node_modules/node-red');
  let [child, retry, settling, watcher, known, wanted] = [];
  let [isClosed, state, crashes, said, signs] = [false, 'stopped', 0, '', {}];
  const contents = () => {
    const [flows, credentials, manifest] = ['flows', 'flows_cred', 'package'].map((name) => readJson(at(`${name}.json`)));
    return { flows: Array.isArray(flows) ? flows : [], credentials: credentials ?? undefined, modules: manifest?.dependencies ?? {} };
  };
  const become = (now) => onState((state = now));
  const look = () => {
    const now = JSON.stringify(contents());
    if (now !== known && child) onDeploy();
    known = now;
  };
  // Node-RED writes its files at each deploy, one after another.
  const follow = () => {
    if (watcher) return;
    watcher = watch(folder, () => {
      clearTimeout(settling);
      if (child) settling = setTimeout(look, 500);
    });
    watcher.once('error', () => {
      watcher.close();
      watcher = undefined;
    });
  };
  const hear = (text) => {
    process.stdout.write(text);
    said = `${said}${text}`.slice(-16_000);
    for (const [sign, words] of signsOf) signs[sign] ||= said.includes(words);
  };
  const lastWords = () => said.split('\n').filter((line) => line.trim() !== '').slice(-12).join('\n');
  const launch = () => {
    if (isClosed || !wanted) return;
    const { mode, credentialSecret, editorPassword, snapshotEnvironment = [], environment = [] } = wanted;
    const variables = [...snapshotEnvironment, ...environment].map(({ name, value }) => [name, value]);
    const [began, args] = [Date.now(), [join(main, 'red.js'), '--userDir', folder, '--settings', settingsFile]];
    let own;
    const over = (why) => {
      if (child !== own) return;
      child = undefined;
      hear(`Node-RED ended by itself (${why})\n`);
      const seconds = Math.min(60, 2 ** crashes);
      log(`Node-RED ended by itself (${why}), and starts again in ${seconds} s`);
      retry = setTimeout(launch, seconds * 1000);
      crashes = Date.now() - began > 60_000 ? 0 : crashes + 1;
      become('crashed');
    };
    [said, signs] = ['', {}];
    try {
      if (!has(join(main, 'red.js'))) throw new Error(`there is no Node-RED: npm install node-red --prefix ${nodeRed}`);
      const stdio = ['pipe', 'pipe', 'pipe', 'ipc'];
      own = spawn(process.execPath, args, { env: { ...env, ...Object.fromEntries(variables) }, stdio });
    } catch (error) {
      // Nothing runs: whatever ran before was stopped. E2BIG is thrown, too.
      return over(error.code === 'E2BIG' ? 'its variables are more than a program can be given (E2BIG)' : error.message);
    }
    child = own;
    known = JSON.stringify(contents());
    // Secrets stand neither in a file nor in the environment.
    own.stdin?.on('error', () => {}).end(JSON.stringify({ mode, listen, credentialSecret, editorPassword }));
    own.once('error', (error) => over(error.message));
    own.once('exit', (code, signal) => over(signal ?? code));
    for (const stream of [own.stdout, own.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        if (child === own || child === undefined) hear(text);
        if (child === own && state !== 'running' && signs.up) become('running');
      });
    become('starting');
    try {
      follow();
    } catch (error) {
      log(`deploys are not noticed: ${error.message}`);
    }
  };
  const stop = async () => {
    wanted = undefined;
    for (const timer of [retry, settling]) clearTimeout(timer);
    const old = child;
    child = undefined;
    for (let waited = 0; !isOver(old) && waited < 200; waited += 1) {
      if (waited === 0) old.kill('SIGTERM');
      if (waited >= 80) old.kill('SIGKILL');
      await sleep(100);
    }
    if (old && !isOver(old)) throw new Error('Node-RED does not end');
    if (state !== 'stopped') become('stopped');
  };
  /** Why it does not work; nothing where it does: flows are started, and stay so for three seconds. */
  const trouble = async () => {
    const until = Date.now() + patience * 1000;
    for (let calm = 0; calm < 15; await sleep(200)) {
      const isDeveloper = wanted?.mode === 'developer';
      if (isClosed) return undefined;
      if (crashes > 2) return lastWords();
      if (signs.missing && !isDeveloper) return `its flows do not start:\n${lastWords()}`;
      if (Date.now() > until) return `it did not start within ${patience} s:\n${lastWords()}`;
      calm = child && (signs.up || (isDeveloper && signs.listening)) ? calm + 1 : 0;
    }
  };
  return {
    contents,
    trouble,
    stop,
    status: () => {
      const runtimeVersion = readJson(join(main, 'package.json'))?.version;
      return { state, ...(runtimeVersion ? { runtimeVersion } : {}) };
    },
    /** Whether it was started, and not stopped since. */
    isOn: () => wanted !== undefined,
    isEmpty: () => contents().flows.length === 0,
    /** Whether modules are installed as they are wanted. A folder that npm was killed in has none that is whole. */
    isInstalled: (modules) => {
      const had = contents().modules;
      const sorted = (some) => JSON.stringify(Object.entries(some).sort());
      return sorted(had) === sorted(modules) && Object.keys(modules).every((name) => has(at(`node_modules/${name}/package.json`)));
    },
    /** Starts it, or starts it anew. */
    start: async (next) => {
      await stop();
      [crashes, wanted] = [0, next];
      launch();
    },
    close: () => {
      isClosed = true;
      watcher?.close();
      return stop();
    },
  };
}
