// The settings of a runtime: copied beside settings.json into the folder of an instance, and read by the runtime when it starts.
'use strict';
const { AsyncLocalStorage } = require('node:async_hooks');
const { createHash, createHmac, createSecretKey, timingSafeEqual } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { IncomingMessage, Server } = require('node:http');
const { join } = require('node:path');
const { getHeapStatistics } = require('node:v8');

const { runtime, ...settings } = JSON.parse(readFileSync(join(__dirname, 'settings.json'), 'utf8'));
// Secrets come once, on the standard input: they stand neither in a file nor in the environment.
const secrets = JSON.parse(readFileSync(0, 'utf8'));
const principalKey = createSecretKey(secrets.principalKey, 'hex');

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

/** What stands before the names of the headers of Weir: no flow ever sees one. */
const ownHeaders = 'x-weir-';
const principalHeader = 'x-weir-principal';

/** How old a proof may be, and how far ahead, in milliseconds: a request may wait for as long as a runtime may be silent before it is taken for dead. */
const [mostAge, mostAhead] = [30_000, 5000];

/** When proofs were made that were used for something else than to read; they are good once. */
const used = new Map();

/** Who sends a request, by the request; and by what is done for it, for what of the runtime knows no request. */
const senders = new WeakMap();
const sender = new AsyncLocalStorage();

// Before anything listens to a request, what is Weir's of it is taken away, and it is known who sends it. On no other server than that of the runtime.
const { emit } = Server.prototype;
Server.prototype.emit = function (event, request, ...rest) {
  if (!(request instanceof IncomingMessage) || !isOwn(this)) return emit.call(this, event, request, ...rest);
  const known = senders.get(request) ?? senderOf(request);
  senders.set(request, known);
  return sender.run(known, () => emit.call(this, event, request, ...rest));
};

const isOwnServer = new WeakMap();

function isOwn(server) {
  if (!isOwnServer.has(server)) {
    const { port, address } = server.address() ?? {};
    isOwnServer.set(server, port === settings.uiPort && address === settings.uiHost);
  }
  return isOwnServer.get(server);
}

/** Who sends a request: whether it came through the gateway, and as whom it may use the editor. */
function senderOf(request) {
  const value = request.headers[principalHeader];
  takeAway(request, (name) => name.startsWith(ownHeaders));
  if (value !== undefined) return { isPassedOn: true, user: provenUser(value, request) };
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined || !isSame(token, secrets.tokenHash)) return { isPassedOn: false, user: null };
  takeAway(request, (name) => name === 'authorization');
  return { isPassedOn: false, user: { username: 'Weir', permissions: '*' } };
}

/** Takes headers out of all forms in which a request has them. They are made first: each is made of the raw ones when it is first looked at. */
function takeAway({ headers, headersDistinct, rawHeaders }, isTaken) {
  for (const all of [headers, headersDistinct])
    for (const name of Object.keys(all)) if (isTaken(name)) delete all[name];
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2)
    if (isTaken(rawHeaders[at].toLowerCase())) rawHeaders.splice(at, 2);
}

/** Whom a proof names: made by Weir, for this method and path, and just now. */
function provenUser(value, { method, url }) {
  const [right, name, time, nonce, proof = ''] = value.split('.');
  const said = [right, name, time, nonce].join('.');
  const wanted = createHmac('sha256', principalKey).update([said, method, url].join(' '));
  if (!timingSafeEqual(digest(proof), digest(wanted.digest('base64url')))) return null;
  const age = Date.now() - Number(time);
  if (!(age <= mostAge && age >= -mostAhead)) return null;
  if (!isRead(method) && !isFirstUse(nonce)) return null;
  return { username: Buffer.from(name, 'base64url').toString(), permissions: right === 'write' ? '*' : 'read' };
}

function isRead(method) {
  return method === 'GET' || method === 'HEAD';
}

function isFirstUse(nonce) {
  const now = Date.now();
  for (const [one, at] of used) {
    if (Math.abs(now - at) <= mostAge + mostAhead) break;
    used.delete(one);
  }
  if (used.has(nonce)) return false;
  used.set(nonce, now);
  return true;
}

/** Proves to whoever holds the token that it is this runtime which answers, and not another program that took its port. */
function alive(request, response, next) {
  const [, challenge] = /^\/\.alive\/([0-9a-f]{32})$/.exec(request.path) ?? [];
  if (challenge === undefined || senders.get(request)?.isPassedOn !== false) return next();
  const proof = createHmac('sha256', secrets.tokenHash).update(challenge).digest('hex');
  response.set('Cache-Control', 'no-store').json({ proof, flows, heapBytes: getHeapStatistics().used_heap_size });
}

/** For whoever may not use the editor there is none: the request goes on to the flows, as if nothing stood before them. */
function onlyEditors(request, _response, next) {
  const known = senders.get(request);
  const mayOnlyLook = known?.user?.permissions === 'read';
  if (!known?.user || (mayOnlyLook && !isRead(request.method))) return next('router');
  sender.run(known, next);
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
  // Nobody signs in here. The strategies of the runtime look for a header, and then ask whom it names: it is known already who sends the request.
  adminAuth: {
    type: 'credentials',
    users: [],
    tokenHeader: 'host',
    tokens: async () => sender.getStore()?.user ?? null,
  },
};
