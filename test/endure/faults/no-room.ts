// A disk without room: writes are refused, reads are answered, and the same process takes writes again as soon as there is room.
import { ask } from '../requests.ts';
import { isReady, waitFor } from '../world.ts';
import { lookAround, revive, type Stage, stopInOrder } from './fault.ts';

/** Waits until there is no room for a write, has some made, and looks whether all goes on by itself; then ends the server and starts it again. */
export async function goesOnByItself(stage: Stage, when: string, makeRoom: () => Promise<void>): Promise<number> {
  const { world, dice, oracle } = stage;
  const life = world.life();
  const noticed = await waitFor(async () => !(await isReady(life.url)));
  if (noticed === undefined) world.blame(`${when}: the server was ready for a minute`);
  const read = await ask(world, 'GET', '/api/v1/teams?limit=1');
  if (read.status !== 200) world.blame(`${when}: a read was answered by ${read.status}`);
  await makeRoom();
  const before = oracle.tally.acknowledged;
  const took = await waitFor(async () => oracle.tally.acknowledged > before && (await isReady(life.url)));
  if (life.hasEnded()) world.blame(`${when}: the server ended: ${life.command.output().stderr.slice(-500)}`);
  else if (took === undefined) world.blame(`${when}: there was room, and no write was taken for a minute`);
  await lookAround(stage, `${when}, after there was room`);
  if (dice.percent(50)) await stopInOrder(stage, when);
  else await world.end('SIGKILL');
  await revive(stage, when);
  return took ?? 0;
}
