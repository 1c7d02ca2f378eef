// A world with people, teams and instances on a small catalogue, for the rules of what is made at run time.
import type { DeclaredKindName } from '../../../src/core/kinds/index.ts';
import type { Role } from '../../../src/core/kinds/roles.ts';
import { updated } from '../../../src/core/model/change.ts';
import type { Proposal } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { apply, type Files, living, newWorld, put, type World } from '../../control/world.ts';

/** The catalogue. `starter` allows little, `roomy` anything of two types, `closed` is not on offer any more. */
export const catalogue: Files = {
  'stacks.yaml': `kind: Stack
metadata: {name: nr-4}
spec: {runtime: "4"}
---
kind: Stack
metadata: {name: nr-3}
spec: {runtime: "3", active: false}
`,
  'types.yaml': `kind: InstanceType
metadata: {name: small}
spec: {stacks: [nr-4]}
---
kind: InstanceType
metadata: {name: large}
spec: {stacks: [nr-4]}
---
kind: InstanceType
metadata: {name: medium}
spec: {stacks: [nr-4]}
---
kind: InstanceType
metadata: {name: old}
spec: {stacks: [nr-3], active: false}
`,
  'templates.yaml': `kind: Template
metadata: {name: standard}
---
kind: Template
metadata: {name: strict}
spec:
  options:
    theme: {value: dark, locked: true}
    timeZone: {locked: true}
    pageTitle: {value: Flows}
  environment:
    - {name: SITE, value: main, locked: true}
    - {name: LINE, value: "1"}
---
kind: Template
metadata: {name: retired}
spec: {active: false}
`,
  'team-types.yaml': `kind: TeamType
metadata: {name: starter}
spec:
  instanceTypes: [{name: small, limit: 2}, {name: medium}, {name: old}]
  limits: {members: 3, instances: 3, devices: 1}
---
kind: TeamType
metadata: {name: roomy}
spec:
  instanceTypes: [{name: small}, {name: large}, {name: old}]
---
kind: TeamType
metadata: {name: closed}
spec: {active: false}
`,
};

/** The catalogue with a text in it replaced by another. */
export function catalogueWith(text: string, by: string): Files {
  const files = Object.entries(catalogue).map(([path, content]) => [path, content.replace(text, by)]);
  return Object.fromEntries(files);
}

/** A world with the catalogue and these users, none of whom is an admin. */
export async function newTeamsWorld(...users: readonly string[]): Promise<World> {
  const world = newWorld();
  await apply(world, catalogue);
  await put(world, ...users.map((name) => living('User', name, { email: `${name}@example.com` })));
  return world;
}

/** The id of what a document declares. */
export function idOf(world: World, kind: DeclaredKindName, name: string): string {
  const found = world.store.read().named(kind, name);
  if (!found) throw new Error(`${kind}/${name} is not there`);
  return found.id;
}

/** A team, which nobody put into the world yet. */
export function team(world: World, slug: string, type = 'starter'): Resource<'Team'> {
  return living('Team', slug, { displayName: slug, type: idOf(world, 'TeamType', type) });
}

/** A user in a team. */
export function member(slug: string, user: string, role: Role = 'member'): Resource<'Membership'> {
  return living('Membership', `${slug}-${user}`, { team: `Team-${slug}`, user: `User-${user}`, role });
}

/** An invitation to a team. */
export function invitation(slug: string, name: string, inviter: string): Resource<'Invitation'> {
  const email = `${name}@example.com`;
  const spec = { role: 'member', email, hash: 'a'.repeat(64), expiresAt: '2026-02-01T00:00:00.000Z' };
  return living('Invitation', `${slug}-${name}`, { ...spec, team: `Team-${slug}`, inviter: `User-${inviter}` });
}

/** What an instance is made with, beside its name and its team. */
export interface Choices {
  readonly type?: string;
  readonly template?: string;
  readonly stack?: string;
  readonly options?: object;
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
}

/** An instance of a team. */
export function instance(world: World, slug: string, name: string, choices: Choices = {}): Resource<'Instance'> {
  const { type = 'small', template = 'standard', stack = 'nr-4', ...overrides } = choices;
  return living('Instance', name, {
    team: `Team-${slug}`,
    instanceType: idOf(world, 'InstanceType', type),
    template: idOf(world, 'Template', template),
    stack: idOf(world, 'Stack', stack),
    ...overrides,
  });
}

/** A device of a team. */
export function device(slug: string, name: string): Resource<'Device'> {
  return living('Device', name, { team: `Team-${slug}`, hash: 'a'.repeat(64), credentialSecret: 's' });
}

/** A team in the world with its owner, whatever its type allows. */
export async function withTeam(world: World, slug: string, owner: string, type = 'starter'): Promise<Resource<'Team'>> {
  const made = team(world, slug, type);
  await put(world, made, member(slug, owner, 'owner'));
  return made;
}

/** The proposal that gives what is there by now another name or spec. */
export function edit<K extends 'User' | 'Team' | 'Membership' | 'Instance'>(
  { kind, id }: Resource<K>,
  spec: Partial<Resource<K>['spec']>,
  name?: string,
): Proposal {
  return (view) => {
    const current = view.get(kind, id) as Resource<K> | undefined;
    if (!current) throw new Error(`${kind} ${id} is not there`);
    const named = name === undefined ? {} : { name };
    return [updated(current, { ...current, ...named, spec: { ...current.spec, ...spec } } as Resource)];
  };
}
