// The programs that the agent starts: marked in their environment, so that what a killed agent left behind is found; and npm, to its end.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const marker = 'WEIR_AGENT_FOLDER';
/** The environment of what an agent starts; `folder` is where that agent keeps its files. */
export const marked = (folder, env) => ({ ...env, [marker]: folder });

/** Ends what an earlier agent of this folder left running. Only Linux tells what that is; elsewhere Node-RED ends with its agent by itself. */
export async function endLeftovers(folder) {
  for (let round = 0; round < 100; round += 1) {
    const left = process.platform === 'linux' ? readdirSync('/proc').filter((name) => isOurs(name, folder)) : [];
    if (left.length === 0) return;
    for (const pid of left) kill(Number(pid));
    await sleep(50);
  }
}

function isOurs(name, folder) {
  if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
  try {
    return readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`${marker}=${folder}`);
  } catch {
    return false;
  }
}

const kill = (pid) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
};

/** Installs what a manifest names. npm and all that it started have ended when this ends, however that is. */
export async function npmInstall(folder, { env, signal, minutes = 10 }) {
  const flags = ['--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const stdio = ['ignore', 'ignore', 'pipe'];
  const npm = spawn('npm', ['install', ...flags], { cwd: folder, env, stdio, detached: true });
  const either = AbortSignal.any([signal, AbortSignal.timeout(minutes * 60_000)]);
  let said = '';
  npm.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-8000);
  });
  const end = () => npm.pid && kill(-npm.pid);
  either.addEventListener('abort', end);
  if (either.aborted) end();
  const code = await new Promise((done, failed) => npm.once('error', failed).once('exit', done)).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? 'npm install: there is no npm on the PATH' : `npm install: ${error.message}`);
  });
  either.removeEventListener('abort', end);
  end();
  if (signal.aborted) throw new Error('npm install: the agent was stopped');
  if (either.aborted) throw new Error(`npm install: it took longer than ${minutes} minutes`);
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !line.includes('A complete log of this run'));
  if (code !== 0) throw new Error(`npm install failed (${code}):\n${lines.slice(-12).join('\n')}`);
}
