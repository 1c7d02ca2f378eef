// An agent for Weir: keeps a Node-RED on this machine as the platform wants it, and goes on with what it has while there is no platform.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readJson, readText, writeJson, writeText } from './files.mjs';
import { Gone, platformAt } from './platform.mjs';
import { runtimeIn } from './runtime.mjs';

const flags = ['platform', 'runtime', 'provisioning-token-file', 'name', 'dir', 'host', 'port'];
const { values } = parseArgs({ options: Object.fromEntries(flags.map((flag) => [flag, { type: 'string' }])) });
const given = { name: hostname(), dir: 'device', host: '127.0.0.1', port: '1880', ...values };
if (!given.platform || !given.runtime) throw new Error('give --platform URL and --runtime FOLDER: see README.md');

const at = (name) => resolve(given.dir, name);
const stop = new AbortController();
const log = (...words) => console.log(new Date().toISOString(), ...words);
mkdirSync(given.dir, { recursive: true, mode: 0o700 });
if (!readText(at('editor-password'))) writeText(at('editor-password'), randomBytes(18).toString('base64url'));

/** What this device is as of now: mode, settings, and the snapshot that it runs. It outlives the agent. */
let state = readJson(at('state.json')) ?? { mode: 'autonomous' };
let platform;
let saying = Promise.resolve();
const runtime = runtimeIn({
  folder: at('runtime'),
  nodeRed: resolve(given.runtime),
  listen: { host: given.host, port: Number(given.port) },
  editorPassword: readText(at('editor-password')),
  log,
  onState: checkIn,
  onDeploy: deployed,
});

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, async () => {
    log('stopping');
    stop.abort();
    await runtime.close();
    await Promise.race([saying, sleep(2000)]);
    process.exit(0);
  });
// Before the platform is asked for anything: a device that starts without one runs what it ran.
if (isRunnable()) await runtime.start(state);
await follow();

/** Asks the platform again and again; what goes wrong is tried later, and later each time. */
async function follow() {
  for (let failures = 0, etag; !stop.signal.aborted; ) {
    try {
      platform ??= platformAt(given.platform, await deviceToken());
      const wanted = await platform.wanted(etag, stop.signal);
      if (wanted) await become(wanted.body);
      etag = wanted?.etag ?? etag;
      failures = 0;
      checkIn();
    } catch (error) {
      if (stop.signal.aborted) return;
      log(`the platform cannot be followed: ${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
      // Somebody may put another token into the file.
      if (error instanceof Gone) platform = undefined;
      failures += 1;
      const seconds = Math.min(60, 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
      await sleep(seconds * 1000, undefined, { signal: stop.signal }).catch(() => {});
    }
  }
}

/** The token that is kept here; else the provisioning token is spent for one. */
async function deviceToken() {
  const [known, provisioning] = [at('token'), given['provisioning-token-file']].map(readText);
  if (known) return known;
  if (!provisioning) throw new Error(`there is no token: give --provisioning-token-file, or put one into ${at('token')}`);
  const fresh = await platformAt(given.platform, provisioning).register(given.name, stop.signal);
  writeText(at('token'), fresh.token);
  log('registered as the device', fresh.id);
  return fresh.token;
}

/** Becomes what is wanted: each part is fetched when it is another, and the runtime starts anew where that matters. */
async function become({ mode, settings, targetSnapshot, autoSnapshot, snapshotRequest }) {
  const next = { ...state, mode, autoSnapshot };
  const isOther = settings !== state.settings || mode !== state.mode;
  if (isOther) Object.assign(next, await platform.settings(), { settings });
  // In developer mode people decide what runs: the target is only where they begin, and what it goes back to.
  const isDue = mode === 'autonomous' ? isOther || targetSnapshot !== state.activeSnapshot : runtime.isEmpty();
  if (targetSnapshot && isDue) {
    const snapshot = await platform.snapshot();
    await runtime.put(snapshot);
    Object.assign(next, { activeSnapshot: snapshot.id, snapshotEnvironment: snapshot.settings.environment });
    log('has the snapshot', snapshot.name);
  }
  keep(next);
  if ((isOther || (targetSnapshot && isDue)) && isRunnable()) await runtime.start(next);
  if (snapshotRequest) await upload({ request: snapshotRequest });
}

/** An autonomous device that was never given anything has nothing to run. */
function isRunnable() {
  return state.mode === 'developer' || !runtime.isEmpty();
}

/** In developer mode, after each deploy. Where the platform cannot be told, it is told of the next one. */
async function deployed() {
  const { activeSnapshot: _, ...rest } = state;
  keep(rest);
  if (state.autoSnapshot && platform) await upload({}).catch((error) => log('the deploy was not kept:', error.message));
  checkIn();
}

async function upload(more) {
  const { id: activeSnapshot } = await platform.upload({ ...runtime.contents(), ...more });
  keep({ ...state, activeSnapshot });
}

function keep(next) {
  state = next;
  writeJson(at('state.json'), state);
}

/** Says how it is, one thing after another; what nobody heard is said again after the next answer. */
function checkIn() {
  const say = () =>
    platform?.checkIn({ ...runtime.status(), agentVersion: '1.0.0', activeSnapshot: state.activeSnapshot });
  saying = saying.then(say).catch(() => {});
}
