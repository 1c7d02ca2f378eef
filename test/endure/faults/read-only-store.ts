// A store that has become read-only: it says so, answers reads, takes no writes, and is well after the next start.
import { ask } from '../requests.ts';
import { isReady, waitFor } from '../world.ts';
import { revive, type Stage, stopInOrder } from './fault.ts';

/** Waits until the store is read-only, has the cause taken away, looks whether writes are still refused, and starts the server again. */
export async function healAndRestart(stage: Stage, when: string, heal: () => Promise<void>): Promise<number> {
  const { world, dice } = stage;
  const noticed = await waitFor(async () => !(await isReady(world.life().url)));
  await heal();
  if (noticed === undefined) world.blame(`${when}: the store was not read-only within a minute`);
  else await takesNothing(stage, when);
  if (dice.percent(50)) await stopInOrder(stage, when);
  else await world.end('SIGKILL');
  return revive(stage, when);
}

/** What was acknowledged is still shown, and nothing new is taken: a second sync after a failed one would lie. */
async function takesNothing({ world }: Stage, when: string): Promise<void> {
  if (world.life().hasEnded()) {
    world.blame(`${when}: the server ended: ${world.life().command.output().stderr.slice(-500)}`);
    return;
  }
  const read = await ask(world, 'GET', '/api/v1/teams?limit=1');
  if (read.status !== 200) world.blame(`${when}: a read was answered by ${read.status}`);
  const body = { name: 'Never', slug: 'never', type: 'starter' };
  const written = await ask(world, 'POST', '/api/v1/teams', { body });
  if (written.status !== 503)
    world.blame(`${when}: a write was answered by ${written.status}, though the store is read-only`);
}
