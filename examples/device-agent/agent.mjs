// An agent for Weir: keeps a Node-RED on this machine as the platform wants it, and goes on with what it has while there is no platform.
// Whatever goes wrong is told, and tried again later: it always comes back to asking.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { deviceIn } from './device.mjs';
import { Gone, platformAt, Unreachable } from './platform.mjs';

const flags = ['platform', 'runtime', 'provisioning-token-file', 'name', 'dir', 'host', 'port', 'patience'];
const { values } = parseArgs({ options: Object.fromEntries(flags.map((flag) => [flag, { type: 'string' }])) });
const given = { name: hostname(), dir: 'device', host: '127.0.0.1', port: '1880', patience: '180', ...values };
if (!given.platform || !given.runtime) throw new Error('give --platform URL and --runtime FOLDER: see README.md');

const stop = new AbortController();
const log = (...words) => console.log(new Date().toISOString(), ...words);
// A log that nobody reads any more is no reason to end, nor is what no part of the agent expected.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error) => log('something unexpected went wrong, and the agent goes on:', error?.stack ?? error));

const platform = { now: undefined };
const device = deviceIn({
  folder: resolve(given.dir),
  nodeRed: resolve(given.runtime),
  provisioning: given['provisioning-token-file'],
  listen: { host: given.host, port: Number(given.port) },
  patience: Number(given.patience),
  signal: stop.signal,
  platform,
  log,
  onNews: checkIn,
});

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, async () => {
    log('stopping');
    stop.abort();
    await device.close().catch((error) => log(error.message));
    await Promise.race([saying, sleep(2000)]);
    process.exit(0);
  });

/** Tells one agent from another that has the same token: a copy of this folder, or of this machine. */
const self = { run: randomBytes(16).toString('hex'), count: 0 };
let saying = Promise.resolve();
/** Says how it is, one thing after another; what nobody heard is said again after the next answer. */
function checkIn() {
  const say = () => {
    self.count += 1;
    return platform.now?.checkIn({ ...device.status(), agentVersion: '2.0.0', agent: { ...self } });
  };
  saying = saying.then(say).catch(() => {});
}

let [etag, wanted] = [];
for (let failures = 0; !stop.signal.aborted; ) {
  try {
    // Before the platform is asked for anything: a device that starts without one runs what it ran.
    await device.begin();
    platform.now ??= platformAt(given.platform, await device.token(register));
    const answer = await platform.now.wanted(etag, stop.signal, Math.min(50, device.secondsToNextTry()));
    if (answer) [etag, wanted] = [answer.etag, answer.body];
    if (wanted) await device.become(wanted);
    failures = 0;
    checkIn();
  } catch (error) {
    if (stop.signal.aborted) break;
    const isPlatform = error instanceof Gone || error instanceof Unreachable;
    log(isPlatform ? `the platform cannot be followed: ${error.message}` : error.message);
    // Somebody may put another token into the file.
    if (error instanceof Gone) platform.now = undefined;
    failures += 1;
    const seconds = Math.min(60, 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
    await sleep(seconds * 1000, undefined, { signal: stop.signal }).catch(() => {});
  }
}

async function register(provisioning) {
  const fresh = await platformAt(given.platform, provisioning).register(given.name, stop.signal);
  log('registered as the device', fresh.id);
  return fresh.token;
}
