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
  if (id === 'runtime-state' && payload?.error) flows = payload.error === 'safe-mode' ? 'safe' : 'stopped';
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

const editorHeader = 'x-weir-editor';

/** Who may use the editor, by the header that Weir sets, or by the token of the administration alone; nobody else may. */
function editorUser({ [editorHeader]: header, authorization = '' }) {
  const value = header ?? authorization.replace(/^bearer +/i, '');
  const [may, name, token] = value.includes('.') ? value.split('.') : ['write', 'd2Vpcg', value];
  if (!token || !isSame(token, secrets.tokenHash)) return null;
  return { username: Buffer.from(name, 'base64url').toString(), permissions: may === 'write' ? '*' : 'read' };
}

/** For whoever may not use the editor there is none: the request goes on to the flows, as if nothing stood before them. */
function onlyEditors(request, _response, next) {
  const user = editorUser(request.headers);
  const mayOnlyLook = user?.permissions === 'read';
  if (!user || (mayOnlyLook && !['GET', 'HEAD'].includes(request.method))) return next('router');
  // The strategies of the runtime know one header only.
  request.headers[editorHeader] ??= `write.d2Vpcg.${request.headers.authorization.replace(/^bearer +/i, '')}`;
  next();
}

/** The end of the line: neither the editor nor a flow has anything here. Weir says so in its own words. */
function nothing(_request, response) {
  response.set('X-Weir-Nothing', '1').sendStatus(404);
}

/** Runtimes before 3 know no list of folders. */
function hasStaticList() {
  const { version } = JSON.parse(readFileSync(join(runtime, 'package.json'), 'utf8'));
  return Number.parseInt(version, 10) >= 3;
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

module.exports = {
  ...settings,
  logging: { lines: { level: 'info', metrics: false, audit: false, handler: () => logLine } },
  credentialSecret: secrets.credentialSecret,
  httpAdminMiddleware: [alive, onlyEditors],
  ...(secrets.httpAuth ? { httpNodeAuth: askPassword } : {}),
  ...(hasStaticList() ? { httpStatic: [{ path: settings.userDir, root: '/', middleware: nothing }] } : {}),
  // Nobody signs in here by a password: the one token is Weir's.
  adminAuth: {
    type: 'credentials',
    users: [],
    tokenHeader: editorHeader,
    tokens: async (value) => editorUser({ [editorHeader]: value }),
  },
};
