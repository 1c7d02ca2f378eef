// What cannot be: each of these has to be refused, and the oracle has no word of it.
import { ask } from './requests.ts';
import { type Person, password } from './scene.ts';

type Refusal = readonly [status: number, method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object];

/** Asks for something that cannot be. */
export async function beRefused(person: Person): Promise<void> {
  const { world, oracle } = person.scene;
  const [wanted, method, path, body] = person.dice.of(refusals)(person);
  const { status } = await ask(world, method, path, body ? { body } : {});
  oracle.tally.refused += 1;
  // A store that takes no writes refuses them all.
  if (status !== wanted && status !== 503)
    world.blame(`${method} ${path} must be refused by ${wanted}, and was answered by ${status}`);
}

const refusals: readonly ((person: Person) => Refusal)[] = [
  ({ home }) => [409, 'POST', '/api/v1/teams', { name: 'Twice', slug: home.slug, type: 'starter' }],
  ({ username }) => [
    409,
    'POST',
    '/api/v1/users',
    { username: username.toUpperCase(), email: 'x@example.net', password },
  ],
  ({ home }) => [409, 'PUT', `/api/v1/teams/${home.id}`, { name: 'Wrong', type: 'nothing' }],
  ({ home }) => [400, 'PUT', `/api/v1/teams/${home.id}`, { name: 'Wrong', unknown: true }],
  () => [409, 'PUT', '/api/v1/stacks/edited', { spec: { label: 'by hand', runtime: '4.1' } }],
  () => [409, 'DELETE', '/api/v1/team-types/starter'],
  ({ home }) => [
    409,
    'POST',
    `/api/v1/teams/${home.id}/instances`,
    { name: 'Locked', instanceType: 'small', template: 'standard', options: { editorPath: '/mine' } },
  ],
];
