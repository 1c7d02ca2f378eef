// One of the clients that write: what it does next is up to the dice, and what it was told is known to the oracle.

import type { Dice } from './dice.ts';
import { beRefused } from './refusals.ts';
import { ask } from './requests.ts';
import type { Person, Scene, Thing } from './scene.ts';
import { signIn, signInWrongly } from './sessions.ts';
import { changeSomething, make } from './things.ts';

export interface Worker {
  /** Does one thing. */
  act(): Promise<void>;
  /** Signs in anew: of the sessions that it had nobody knows whether they still are. */
  signInAgain(): Promise<void>;
}

/** Makes the user and the team that a worker needs. */
export async function createWorker(scene: Scene, number: number, dice: Dice): Promise<Worker> {
  let count = 0;
  const fresh = () => {
    count += 1;
    return `${number}-${count}`;
  };
  const username = `worker-${number}`;
  const slug = `home-${number}`;
  const own = { User: [] as Thing[], Team: [] as Thing[], Instance: [] as Thing[], Token: [] as Thing[] };
  const person: Person = { scene, dice, number, username, fresh, cookies: [], home: { slug, id: '' }, own };
  await make(person, 'User', username, { email: `${username}@example.net`, name: '', suspended: 'false' });
  const home = await make(person, 'Team', slug, { name: slug, type: 'starter' });
  if (!home) throw new Error(`worker ${number} cannot begin: ${scene.world.violations.join('; ')}`);
  person.home.id = home.id;
  // Neither of these is ever changed.
  person.own.User = [];
  person.own.Team = [];
  await signIn(person);
  return {
    act: () => act(person),
    signInAgain: async () => {
      for (const cookie of person.cookies.splice(0)) scene.sessions.delete(cookie);
      await signIn(person);
    },
  };
}

function act(person: Person): Promise<void> {
  const chance = person.dice.below(100);
  if (chance < 70) return changeSomething(person);
  if (chance < 85) return beRefused(person);
  if (chance < 96) return read(person);
  // Each of these costs a hash of a password.
  return chance < 99 ? signIn(person) : signInWrongly(person);
}

async function read({ scene: { world }, dice }: Person): Promise<void> {
  const path = dice.of(['teams?limit=20', 'admin/stats', 'admin/config', 'admin/audit-log?limit=20', 'user']);
  const { status } = await ask(world, 'GET', `/api/v1/${path}`);
  if (status !== 200) world.blame(`GET ${path} was answered by ${status}`);
}
