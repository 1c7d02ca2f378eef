// The store is taken from under a server that writes: its folder is moved away and back, or its lock is removed and a second server comes.
import { readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningCommand, startCommand } from '../../support/run-command.ts';
import { launcher, plainEnvironment } from '../../support/weir.ts';
import { type Answer, ask } from '../requests.ts';
import { isReady, patienceMs, type World, waitFor } from '../world.ts';
import { type Fault, lookAround, revive, type Stage, stopInOrder } from './fault.ts';
import { conditionOf } from './told.ts';

export const pulledAway: Fault = {
  name: 'the store pulled away',
  isGentle: true,
  inject: (stage) =>
    stage.load.withoutEditor(async () => {
      const { world, oracle, dice } = stage;
      const { url } = world.life();
      // The link that the server was given, or the folder that it leads to.
      const path = dice.percent(50) ? world.store : realpathSync(world.store);
      renameSync(path, `${path}.away`);
      try {
        await keepsNothing(stage, 'with the store away');
        await tells(world, /is gone \(deleted, moved or not mounted\)/);
        await sleep(dice.below(3_000));
      } finally {
        renameSync(`${path}.away`, path);
      }
      const before = oracle.tally.acknowledged;
      const took = await waitFor(async () => oracle.tally.acknowledged > before && (await isReady(url)));
      if (took === undefined)
        world.blame(`the store is back, and no write was taken for a minute: ${await why(world)}`);
      await lookAround(stage, 'with the store back');
      return took ?? Number.POSITIVE_INFINITY;
    }),
};

export const lockRemoved: Fault = {
  name: 'the lock removed',
  inject: (stage) =>
    stage.load.withoutEditor(async () => {
      const { world, dice } = stage;
      const removal = dice.of(['once', 'again and again'] as const);
      const second = await secondServer(world, removal);
      if (second.url === undefined) keptOut(stage, second.command);
      else await oneOfBothWrites(stage, second.url);
      stage.note(`removed ${removal}, the second server was ${second.url === undefined ? 'kept out' : 'let in'}`);
      if (second.url !== undefined) await endSecond(stage, second.command);
      if (second.url === undefined) await lookAround(stage, 'after the lock was removed');
      if (dice.percent(50)) await stopInOrder(stage, 'after the lock was removed');
      else await world.end('SIGKILL');
      return revive(stage, 'after the lock was removed');
    }),
};

interface Second {
  readonly command: RunningCommand;
  /** Where it serves; nothing where it gave up. */
  readonly url: string | undefined;
}

/** Starts a second server on the same store, while the lock of the first is removed. */
async function secondServer(world: World, removal: 'once' | 'again and again'): Promise<Second> {
  const args = [launcher, 'serve', world.tree, '--store', world.store, '--port', '0'];
  removeLock(world);
  const command = startCommand(process.execPath, args, {
    cwd: world.folder,
    env: plainEnvironment(),
    timeoutMs: 10 * patienceMs,
  });
  const urlOf = () => / on (http:\/\/\S+)\n/.exec(command.output().stdout)?.[1];
  const hasEnded = () => command.child.exitCode !== null || command.child.signalCode !== null;
  const over = await waitFor(() => {
    if (removal === 'again and again') removeLock(world);
    return urlOf() !== undefined || hasEnded();
  });
  if (over === undefined) {
    world.blame('a second server neither served nor gave up within a minute');
    command.child.kill('SIGKILL');
  }
  return { command, url: hasEnded() ? undefined : urlOf() };
}

/** Removes the sockets of the server that runs, and no other's. */
function removeLock(world: World): void {
  for (const name of readdirSync(world.store))
    if (name.startsWith(`lock-${world.life().pid}-`)) rmSync(join(world.store, name), { force: true });
}

function keptOut({ world }: Stage, { child, output }: RunningCommand): void {
  if (child.exitCode !== 5)
    world.blame(`a second server that was kept out ended with ${child.exitCode}, and not with 5: ${output().stderr}`);
}

/** Once the second serves, the first acknowledges nothing; what the second acknowledges has to be there at the end. */
async function oneOfBothWrites(stage: Stage, url: string): Promise<void> {
  const { world, oracle, dice } = stage;
  await keepsNothing(stage, 'with a second server on its store');
  await tells(world, /another process has taken the store/);
  const slug = `second-${dice.below(1e9)}`;
  const fields = { name: `Team of ${slug}`, type: 'starter' };
  const attempt = oracle.begin(`Team/${slug}`, fields);
  const answer = await fetch(`${url}/api/v1/teams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.admin}`, 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ slug, ...fields }),
  });
  if (answer.status < 300) attempt.kept();
  else attempt.unknown();
  if (answer.status >= 300) world.blame(`the second server answered a write by ${answer.status}`);
}

async function endSecond({ world }: Stage, { child, ended }: RunningCommand): Promise<void> {
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  if (code !== 0) world.blame(`the second server ended with ${code}: ${stderr.slice(-500)}`);
}

/** Nothing that is asked for from now on is acknowledged, though reads are answered. The load goes on. */
async function keepsNothing({ world, load, oracle, dice }: Stage, when: string): Promise<void> {
  // What was under way may have been acknowledged in time.
  await load.pause();
  const before = oracle.tally.acknowledged;
  const slug = `never-${dice.below(1e9)}`;
  const written = await ask(world, 'POST', '/api/v1/teams', { body: { name: 'Never', slug, type: 'starter' } });
  if (written.status !== 503) world.blame(`${when}: a write was answered by ${written.status}`);
  load.resume();
  if ((await waitFor(async () => !(await isReady(world.life().url)))) === undefined)
    world.blame(`${when}: it was ready for a minute`);
  const read: Answer = await ask(world, 'GET', '/api/v1/teams?limit=1');
  if (read.status !== 200) world.blame(`${when}: a read was answered by ${read.status}`);
  await sleep(500);
  const more = oracle.tally.acknowledged - before;
  if (more > 0) world.blame(`${when}: ${more} writes were acknowledged`);
}

/** The condition has to say why nothing is kept. */
async function tells(world: World, reason: RegExp): Promise<void> {
  const found = await conditionOf(world, 'StoreWritable');
  if (found?.status !== 'False' || !reason.test(found.message))
    world.blame(`StoreWritable does not tell ${reason}: ${JSON.stringify(found)}`);
}

async function why(world: World): Promise<string> {
  const { command } = world.life();
  return `${JSON.stringify(await conditionOf(world, 'StoreWritable').catch(String))} ${command.output().stderr.slice(-500)}`;
}
