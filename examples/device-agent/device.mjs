// This device as of now: what it is kept as on the disk, and how it becomes something else, or stays what it was where that fails.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { has, readJson, readText, writeJson, writeText } from './files.mjs';
import { Gone, Unreachable } from './platform.mjs';
import { endLeftovers, marked, npmInstall } from './processes.mjs';
import { runtimeIn } from './runtime.mjs';
import { setsIn } from './sets.mjs';
import { toldOf } from './words.mjs';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isModule = ([name, version]) => /^(@[\w.~-]+\/)?[\w.~-]+$/.test(name) && !/^\.+$/.test(name) && typeof version === 'string';
/** Seconds until a change is tried again that failed so many times: 10, 20, 40 … half an hour. */
const pause = (tries) => Math.min(1800, 10 * 2 ** Math.min(tries - 1, 10));

/** `platform.now` is where the platform is asked, once there is a token; `onNews` is called when there is something to tell it. */
export function deviceIn({ folder, nodeRed, provisioning, listen, patience, signal, platform, log, onNews }) {
  const at = (name) => join(folder, name);
  const sets = setsIn(folder);
  const env = marked(folder, process.env);
  const runtime = runtimeIn({ folder: at('runtime'), nodeRed, listen, patience, env, log, onState: onNews, onDeploy: () => void deployed() });
  // Mode, settings, and the snapshot that it runs. It outlives the agent.
  let state = { mode: 'autonomous' };
  let [hasBegun, isSwept, editorPassword, trouble] = [false, false, '', undefined];

  const keep = (next) => {
    state = next;
    try {
      writeJson(at('state.json'), state);
      trouble = undefined;
    } catch (error) {
      trouble = error;
      log(`its state is not kept: ${error.message}`);
    }
  };
  const secrets = () => [
    editorPassword,
    state.credentialSecret,
    readText(at('token')),
    ...[...(state.environment ?? []), ...(state.snapshotEnvironment ?? [])].map(({ value }) => value),
  ];
  /** An autonomous device that was never given anything has nothing to run. */
  const isRunnable = () => state.credentialSecret !== undefined && (state.mode === 'developer' || !runtime.isEmpty());
  const run = () => (isRunnable() ? runtime.start({ ...state, editorPassword }) : runtime.stop());

  const fail = (key, error) => {
    const message = toldOf(error, [...secrets(), ...(error?.secrets ?? [])]);
    const tries = (state.failure?.key === key ? state.failure.tries : 0) + 1;
    log(`it is not what it should be, and tries again in ${pause(tries)} s: ${message}`);
    keep({ ...state, failure: { key, tries, message, at: Date.now() } });
    onNews();
  };
  const reload = () => {
    state = readJson(at('state.json')) ?? state;
  };
  /** What was taken over is tried, and whether it works: where it does not come up, what was before it comes back. */
  const tryOut = async () => {
    const { trial = '', ...rest } = state;
    try {
      await run();
      const why = isRunnable() ? await runtime.trouble() : undefined;
      if (signal.aborted) return false;
      if (why !== undefined) throw new Error(why);
      sets.confirm();
      keep({ ...rest, failure: undefined });
      return true;
    } catch (error) {
      return goBack(trial, error);
    }
  };
  const goBack = async (key, error) => {
    if (signal.aborted) return false;
    const told = Object.assign(error, { secrets: secrets() });
    const { failure } = state;
    try {
      await runtime.stop();
      sets.goBack();
      reload();
      if (failure) state = { ...state, failure };
    } finally {
      fail(key, told);
      await run();
    }
    return false;
  };

  /** Becomes what is wanted; whether it is that now. Nothing that runs is stopped before all that takes its place is on the disk. */
  const change = async ({ mode, settings, targetSnapshot, autoSnapshot }, key) => {
    if (state.trial !== undefined || sets.isUnfinished()) {
      sets.goBack();
      reload();
    }
    const isOther = settings !== state.settings || mode !== state.mode;
    // In developer mode people decide what runs: the target is only where they begin, and what it goes back to.
    const isDue = targetSnapshot && (mode === 'autonomous' ? isOther || targetSnapshot !== state.activeSnapshot : runtime.isEmpty());
    if (!isOther && !isDue) {
      if (autoSnapshot !== state.autoSnapshot) keep({ ...state, autoSnapshot });
      return true;
    }
    const next = { ...state, mode, autoSnapshot, trial: key };
    if (isOther) Object.assign(next, settingsIn(await platform.now.settings()), { settings });
    const content = isDue ? snapshotIn(await platform.now.snapshot()) : undefined;
    if (content) Object.assign(next, { activeSnapshot: content.id, snapshotEnvironment: content.settings.environment });
    const install = content && !runtime.isInstalled(content.modules) && ((place) => npmInstall(place, { env, signal }));
    await sets.prepare({ content, install, state: next });
    try {
      await runtime.stop();
      sets.takeOver();
      state = next;
    } catch (error) {
      return goBack(key, error);
    }
    if (content) log('has the snapshot', content.name);
    return tryOut();
  };
  const upload = async (more) => {
    const { id: activeSnapshot } = await platform.now.upload({ ...runtime.contents(), ...more });
    keep({ ...state, activeSnapshot });
  };
  /** In developer mode, after each deploy. Where the platform cannot be told, it is told of the next one. */
  const deployed = async () => {
    if (state.mode !== 'developer') return;
    const { activeSnapshot: _, ...rest } = state;
    keep(rest);
    if (state.autoSnapshot) await upload({}).catch((error) => log('the deploy was not kept:', error.message));
    onNews();
  };
  const waitsUntil = () => {
    const { failure } = state;
    // A clock that was set back must not make it wait longer.
    return failure ? Math.min(failure.at, Date.now()) + pause(failure.tries) * 1000 : 0;
  };

  return {
    /** After a start, and again as long as that fails: finishes what was begun, and runs what it ran. Never rejects. */
    begin: async () => {
      if (hasBegun) return;
      try {
        for (const path of [folder, at('runtime')]) mkdirSync(path, { recursive: true, mode: 0o700 });
        if (!isSwept) await endLeftovers(folder);
        isSwept = true;
        sets.resume();
        reload();
        if (state.trial === undefined) sets.confirm();
        if (!has(at('state.json'))) keep(state);
        if (!readText(at('editor-password'))) writeText(at('editor-password'), randomBytes(18).toString('base64url'));
        editorPassword = readText(at('editor-password'));
        [hasBegun, trouble] = [true, undefined];
        if (state.trial !== undefined) await tryOut();
        else if (isRunnable() && !runtime.isOn()) await run();
      } catch (error) {
        trouble = error;
        log(`it does not begin as it should: ${error.message}`);
        if (sets.isUnfinished() || runtime.isOn()) return;
        reload();
        await run().catch((failed) => log(failed.message));
      }
    },
    /** The token that is kept here; else the provisioning token is spent for one, which is only done where there is room to write it down. */
    token: async (register) => {
      const known = readText(at('token'));
      if (known) return known;
      if (has(at('token'))) throw new Error(`${at('token')} cannot be read, or is empty`);
      const spent = provisioning && readText(provisioning);
      if (!spent) throw new Error(`there is no token: give --provisioning-token-file, or put one into ${at('token')}`);
      writeText(at('token-to-come'), 'x'.repeat(4096));
      const fresh = await register(spent);
      try {
        rmSync(at('token-to-come'), { force: true });
        writeText(at('token'), fresh);
      } catch (error) {
        trouble = error;
        log(`its token is not kept, so that it needs another one after its next start: ${error.message}`);
      }
      return fresh;
    },
    become: async (wanted) => {
      if (!hasBegun) return;
      const { mode, settings, targetSnapshot, snapshotRequest } = wanted;
      const key = JSON.stringify([mode, settings, targetSnapshot, snapshotRequest]);
      if (state.failure?.key === key && Date.now() < waitsUntil()) return;
      try {
        if (!(await change(wanted, key))) return;
        if (snapshotRequest) await upload({ request: snapshotRequest });
        if (state.failure) keep({ ...state, failure: undefined });
      } catch (error) {
        if (signal.aborted || error instanceof Gone || error instanceof Unreachable) throw error;
        fail(key, error);
      }
    },
    secondsToNextTry: () => {
      if (!hasBegun) return 10;
      return state.failure ? Math.max(1, Math.ceil((waitsUntil() - Date.now()) / 1000)) : 50;
    },
    status: () => {
      const error = state.failure?.message ?? (trouble && toldOf(trouble, secrets()));
      const { activeSnapshot } = state;
      return { ...runtime.status(), ...(activeSnapshot ? { activeSnapshot } : {}), ...(error ? { error } : {}) };
    },
    close: () => runtime.close(),
  };
}

function settingsIn(said) {
  const { environment, credentialSecret } = said ?? {};
  if (!Array.isArray(environment) || !environment.every(isVariable) || typeof credentialSecret !== 'string')
    throw new Error('the platform answers settings that are none');
  return { environment, credentialSecret };
}

function isVariable(one) {
  return isObject(one) && typeof one.name === 'string' && typeof one.value === 'string';
}

function snapshotIn(said) {
  const { id, name, flows, credentials = {}, modules = {}, settings } = said ?? {};
  const environment = settings?.environment ?? [];
  const isWhole = typeof id === 'string' && Array.isArray(flows) && flows.every(isObject) && isObject(credentials);
  if (!isWhole || !isObject(modules) || !Object.entries(modules).every(isModule) || !environment.every(isVariable))
    throw new Error('the platform answers a snapshot that is none');
  return { id, name, flows, credentials, modules, settings: { environment } };
}
