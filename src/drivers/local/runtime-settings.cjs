// The settings of a runtime: copied beside settings.json into the folder of an instance, and read by the runtime when it starts.
'use strict';
const { createHash, createHmac, timingSafeEqual } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { getHeapStatistics } = require('node:v8');

const { runtime, ...settings } = JSON.parse(readFileSync(join(__dirname, 'settings.json'), 'utf8'));
// Secrets come once, on the standard input: they stand neither in a file nor in the environment.
const secrets = JSON.parse(readFileSync(0, 'utf8'));

const digest = (text) => createHash('sha256').update(String(text)).digest();
const isSame = (text, hash) => timingSafeEqual(digest(text), Buffer.from(hash, 'hex'));

// A full disk, or a log that nobody can write to any more, is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

let flows = 'starting';
const { events } = require(require.resolve('@node-red/util', { paths: [runtime] }));
events.on('flows:started', () => {
  flows = 'started';
});
events.on('runtime-event', ({ id, payload }) => {
  if (id === 'runtime-state') flows = payload?.error ? 'stopped' : flows;
});

const levels = { 10: 'fatal', 20: 'error', 30: 'warn', 40: 'info', 50: 'debug', 60: 'trace' };

/** One line an event, with the time in full; the lines of a longer message follow it, indented. */
function logLine({ level, timestamp, type, name, id, msg }) {
  const source = type ? `[${type}:${name || id}] ` : '';
  const text = typeof msg === 'string' ? msg : (msg?.message ?? JSON.stringify(msg));
  const at = new Date(timestamp ?? Date.now()).toISOString();
  process.stdout.write(
    `${at} ${(levels[level] ?? 'info').padEnd(5)} ${source}${String(text).replaceAll('\n', '\n  ')}\n`,
  );
}

/** Proves to whoever holds the token that it is this runtime which answers, and not another program that took its port. */
function alive(request, response, next) {
  if (!request.path.startsWith('/.alive/')) return next();
  const challenge = request.path.slice('/.alive/'.length);
  const proof = createHmac('sha256', secrets.tokenHash).update(challenge).digest('hex');
  response.set('Cache-Control', 'no-store').json({ proof, flows, heapBytes: getHeapStatistics().used_heap_size });
}

/** Basic authentication (RFC 7617) for flows and dashboards. */
function askPassword(request, response, next) {
  if (request.method === 'OPTIONS') return next();
  const [scheme, value = ''] = (request.headers.authorization ?? '').split(' ');
  const given = Buffer.from(value, 'base64').toString();
  const end = given.indexOf(':');
  const { username, passwordHash } = secrets.httpAuth;
  const isRight = isSame(given.slice(end + 1), passwordHash) && given.slice(0, Math.max(end, 0)) === username;
  if (scheme.toLowerCase() === 'basic' && end >= 0 && isRight) return next();
  response.set('WWW-Authenticate', 'Basic realm="Authorization Required", charset="UTF-8"').sendStatus(401);
}

const admin = { username: 'weir', permissions: '*' };

module.exports = {
  ...settings,
  logging: { lines: { level: 'info', metrics: false, audit: false, handler: () => logLine } },
  credentialSecret: secrets.credentialSecret,
  httpAdminMiddleware: alive,
  ...(secrets.httpAuth ? { httpNodeAuth: askPassword } : {}),
  // Nobody signs in here by a password: the one token is Weir's.
  adminAuth: {
    type: 'credentials',
    users: [],
    tokens: async (token) => (isSame(token, secrets.tokenHash) ? admin : null),
  },
};
