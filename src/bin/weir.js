#!/usr/bin/env node
// Starts Weir under a Node that can run it: this one, or the one that came with the package. Any Node from 12 on must read it.
'use strict';

const childProcess = require('child_process');
const fs = require('fs');
const path = require('path');
const url = require('url');

const oldestNode = 24;
const exitCodes = { wrongUsage: 64, bugInWeir: 70 };

/** Set for the second of two processes, so that there is never a third. */
const relayMark = 'WEIR_RELAYED';
const isRelayed = process.env[relayMark] !== undefined;
delete process.env[relayMark];

/** Set for a process that began as sparing as it is to be. */
const sparingMark = 'WEIR_SPARING';
const isSparing = process.env[sparingMark] !== undefined;
delete process.env[sparingMark];

if (major(process.versions.node) < oldestNode) relay(isRelayed ? undefined : bundledNode());
else if (shouldSpare() && !isSparing && process.execve) becomeSparing();
else start();

/** Loads main.js where the package was built, and else main.ts: Node strips its types. */
function start() {
  if (isRelayed || isOurScript()) stopWithParent();
  keepCompiled();
  const built = path.join(__dirname, '..', 'main.js');
  const main = fs.existsSync(built) ? built : path.join(__dirname, '..', 'main.ts');
  import(url.pathToFileURL(main).href).catch((error) => {
    const reason = `cannot start, because ${String(error.message).split('\n')[0]}`;
    if (error.code !== 'ERR_MODULE_NOT_FOUND') fail(reason, exitCodes.bugInWeir);
    fail(`${reason}: install its packages with "npm ci" or "npm install"`, exitCodes.wrongUsage);
  });
}

/** Whether this is the server: it lives long, and what it leaves lying adds up. */
function shouldSpare() {
  return process.argv[2] === 'serve';
}

/** Begins this process anew with what spares memory: V8 and the C library read it only as they start. */
function becomeSparing() {
  const { flags, env } = sparing();
  const args = [process.execPath].concat(process.execArgv, flags, __filename, process.argv.slice(2));
  // Whoever listens on a channel of Node's would lose it: there it goes on as it is.
  if (process.send) start();
  else process.execve(process.execPath, args, Object.assign({}, process.env, env));
}

/** Flags of Node and variables of the C library, less those that somebody has set otherwise. */
function sparing() {
  const { flags, environment } = require('./memory.json');
  const given = [process.env.NODE_OPTIONS || ''].concat(process.execArgv).join(' ').replace(/_/g, '-');
  const isGiven = (flag) => given.includes(flag.split('=')[0]);
  const env = Object.assign({}, environment, process.env, { [sparingMark]: '1' });
  return { flags: flags.filter((flag) => !isGiven(flag)), env };
}

/** Keeps what Node compiles beside the packages, for the next start; not in a folder that others may write to. Where it cannot be written, nothing is kept. */
function keepCompiled() {
  const { enableCompileCache } = require('module');
  if (enableCompileCache)
    enableCompileCache(path.join(__dirname, '..', '..', 'node_modules', '.cache', 'weir', 'compiled'));
}

/** Whether npm runs us by a script of this repository: between us and npm stands a shell, which dies of a SIGTERM and passes none on. */
function isOurScript() {
  return process.env.npm_package_name === 'weir' && ['start', 'weir'].includes(process.env.npm_lifecycle_event);
}

/** Stops this process as SIGTERM does when its parent died, so that no server is left behind that nobody can reach. */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}

/** Runs this file again under `node`, as if it were this process: arguments, streams, signals and exit code pass through. */
function relay(node) {
  if (node === undefined) fail(tooOld(), exitCodes.wrongUsage);
  const memory = shouldSpare() ? sparing() : { flags: [], env: {} };
  const env = Object.assign({}, process.env, memory.env, { [relayMark]: '1' });
  const args = memory.flags.concat(__filename, process.argv.slice(2));
  const child = childProcess.spawn(node, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`cannot start ${node}, because ${error.message}`, exitCodes.wrongUsage));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The Node that came along as an optional dependency, where it is there and new enough. */
function bundledNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const file = path.join('bin', system === 'win' ? 'node.exe' : 'node');
  return [`node-${system}-${process.arch}`, 'node'].map((name) => nodeOf(name, file)).find(Boolean);
}

function nodeOf(name, file) {
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const node = path.join(path.dirname(manifest), file);
    return major(require(manifest).version) >= oldestNode && fs.existsSync(node) ? node : undefined;
  } catch (_notInstalled) {
    return undefined;
  }
}

function tooOld() {
  return `cannot run under Node ${process.versions.node}, because it needs Node ${oldestNode} or newer, and brought none along.
      Its packages bring one for Linux (x64, arm64), macOS on Intel and Windows (x64):
      install with "npm ci" or "npm install", without --omit=optional.
      On Apple silicon and other systems install Node ${oldestNode} or newer from https://nodejs.org, and run weir again.`;
}

function fail(message, code) {
  console.error(`weir: ${message}`);
  process.exit(code);
}

function major(version) {
  return Number(version.split('.')[0]);
}
