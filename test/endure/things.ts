// The things that workers make, change and delete: users, teams, instances and tokens.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shape } from './oracle.ts';
import { type Answer, type Asking, ask, write } from './requests.ts';
import { type Noun, type Person, password, remember, type Thing } from './scene.ts';

type Request = readonly [method: 'POST' | 'PUT' | 'DELETE', path: string, asking: Asking];
type Fields = NonNullable<Shape>;

/** Makes, changes or deletes one of the worker's own. */
export async function changeSomething(person: Person): Promise<void> {
  const { dice, own, scene } = person;
  const noun = dice.of(['Team', 'Team', 'Instance', 'Instance', 'Token', 'User'] as const);
  // What is uncertain is left alone until somebody has looked.
  own[noun] = own[noun].filter(({ key }) => scene.oracle.sure(key)?.shape !== undefined);
  const { most, made, gone } = chances[noun];
  const thing = own[noun].length > 0 ? dice.of(own[noun]) : undefined;
  if (!thing || (own[noun].length < most && dice.percent(made))) await make(person, noun, ...fresh[noun](person));
  else if (dice.percent(gone)) await remove(person, noun, thing);
  else await change[noun](person, thing, scene.oracle.sure(thing.key)?.shape ?? {});
}

/** Makes a thing; nothing where it was cut off. */
export async function make(person: Person, noun: Noun, name: string, fields: Fields): Promise<Thing | undefined> {
  const key = `${noun}/${name}`;
  const answer = await taken(person, key, fields, requests[noun](person, name, fields));
  if (!answer) return undefined;
  const made = { key, id: String(answer.body.id) };
  person.own[noun].push(made);
  if (noun === 'Token') person.scene.tokens.set(key, answer.body.token);
  return made;
}

/** How many a worker has at most, and how often one is made and deleted, in percent. A user costs a hash of a password. */
const chances: Readonly<Record<Noun, { readonly most: number; readonly made: number; readonly gone: number }>> = {
  User: { most: 3, made: 10, gone: 5 },
  Team: { most: 6, made: 30, gone: 25 },
  Instance: { most: 6, made: 30, gone: 25 },
  Token: { most: 3, made: 30, gone: 25 },
};

const requests: Readonly<Record<Noun, (person: Person, name: string, fields: Fields) => Request>> = {
  User: (_, username, { email = '' }) => ['POST', '/api/v1/users', { body: { username, email, password } }],
  Team: (_, slug, fields) => ['POST', '/api/v1/teams', { body: { slug, ...fields } }],
  Instance: ({ home }, name, fields) => [
    'POST',
    `/api/v1/teams/${home.id}/instances`,
    { body: { name, instanceType: 'small', template: 'standard', ...settings(fields) } },
  ],
  Token: ({ cookies }, name) => ['POST', '/api/v1/user/tokens', { cookie: cookies.at(-1) ?? '', body: { name } }],
};

const fresh: Readonly<Record<Noun, (person: Person) => [name: string, fields: Fields]>> = {
  User: (person) => {
    const name = `user-${person.fresh()}`;
    return [name, { email: `${name}@example.net`, name: '', suspended: 'false' }];
  },
  Team: (person) => {
    const slug = `team-${person.fresh()}`;
    return [slug, { name: `Team ${slug}`, type: person.dice.of(['starter', 'large']) }];
  },
  Instance: (person) => [`instance-${person.fresh()}`, { team: person.home.slug, title: 'Begun', level: 'info' }],
  Token: (person) => [`token-${person.fresh()}`, { user: person.username }],
};

/** Two fields at once, so that half of a write would be seen. A token is only tried. */
const change: Readonly<Record<Noun, (person: Person, thing: Thing, before: Fields) => Promise<unknown>>> = {
  User: (person, { key, id }, before) => {
    const suspended = before['suspended'] === 'false';
    const after = { ...before, name: `User ${person.fresh()}`, suspended: String(suspended) };
    return taken(person, key, after, ['PUT', `/api/v1/users/${id}`, { body: { name: after.name, suspended } }]);
  },
  Team: (person, { key, id }) => {
    const after = { name: `Team ${person.fresh()}`, type: person.dice.of(['starter', 'large']) };
    return taken(person, key, after, ['PUT', `/api/v1/teams/${id}`, { body: after }]);
  },
  Instance: (person, { key, id }, before) => {
    const mark = person.fresh();
    const after = { ...before, title: `Flows ${mark}`, level: `level-${mark}` };
    return taken(person, key, after, ['PUT', `/api/v1/instances/${id}`, { body: settings(after) }]);
  },
  Token: async ({ scene: { world, tokens } }, { key }) => {
    const { status } = await ask(world, 'GET', '/api/v1/user', { token: tokens.get(key) ?? '' });
    if (status !== 200) world.blame(`${key} must open, and was answered by ${status}`);
  },
};

async function remove(person: Person, noun: Noun, { key, id }: Thing): Promise<void> {
  const { own, cookies, scene } = person;
  const path = { User: 'users', Team: 'teams', Instance: 'instances', Token: 'user/tokens' }[noun];
  const asking = noun === 'Token' ? { cookie: cookies.at(-1) ?? '' } : {};
  own[noun] = own[noun].filter((other) => other.key !== key);
  const answer = await taken(person, key, undefined, ['DELETE', `/api/v1/${path}/${id}`, asking]);
  const text = scene.tokens.get(key);
  scene.tokens.delete(key);
  if (answer && text !== undefined) remember(scene.revoked, text);
}

/** A write that has to be taken, unless it is cut off or the store takes none: then nothing was changed. */
async function taken({ scene }: Person, key: string, after: Shape, request: Request): Promise<Answer | undefined> {
  const { world, oracle } = scene;
  const outcome = await write(world, oracle.begin(key, after), request);
  if (outcome.is === 'kept') return outcome.answer;
  if (outcome.is === 'refused' && outcome.answer.status !== 503) {
    const { status, body } = outcome.answer;
    world.blame(`${request[0]} ${request[1]} must be taken, and was answered by ${status} ${body?.detail}`);
  }
  await sleep(50);
  return undefined;
}

function settings({ title, level }: Fields): object {
  return { options: { pageTitle: title }, environment: [{ name: 'LEVEL', value: level }] };
}
