// Every proposal that writes an instance, tried on a protected one: what brings flows into it, or begins its end, is refused; all else is not.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../../src/control/transact.ts';
import { kinds } from '../../../src/core/kinds/index.ts';
import type { Context, Proposal } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { actOnInstance } from '../../../src/core/proposals/act-on-instance.ts';
import { createHttpToken } from '../../../src/core/proposals/create-http-token.ts';
import { createInstance } from '../../../src/core/proposals/create-instance.ts';
import { createSnapshot } from '../../../src/core/proposals/create-snapshot.ts';
import { deleteInstance } from '../../../src/core/proposals/delete-instance.ts';
import { giveCredentialSecret } from '../../../src/core/proposals/give-credential-secret.ts';
import { noteAlerts } from '../../../src/core/proposals/note-alerts.ts';
import { noticeInstance } from '../../../src/core/proposals/notice-instance.ts';
import { observeInstance } from '../../../src/core/proposals/observe-instance.ts';
import { withOwnSecrets } from '../../../src/core/proposals/own-secrets.ts';
import { endRestore, restoreSnapshot } from '../../../src/core/proposals/restore-snapshot.ts';
import { stopOverDisk } from '../../../src/core/proposals/stop-over-disk.ts';
import { updateInstance } from '../../../src/core/proposals/update-instance.ts';
import type { Facts } from '../../../src/core/rules/facts.ts';
import { bringFlows } from '../../../src/core/rules/protected-instance.ts';
import { apply, living, put, type World } from '../../control/world.ts';
import { catalogueWith, instance, newTeamsWorld, withTeam } from '../rules/teams-world.ts';

const root = resolve(import.meta.dirname, '../../..');
const drivers = new Map([['local', { runner: {}, provides: new Set(['protectedInstances'] as const) }]]);
const content = 'c'.repeat(64);
const why = { reason: 'X', message: 'x' };
const settings = { runtime: '4', resources: {}, options: {}, environment: [] };
const id = 'Instance-pumps';
const act = (action: 'start' | 'stop' | 'restart' | 'suspend' | 'upgrade-stack') =>
  actOnInstance({ id, action }, drivers);
const seeing =
  (observe: (seen: Resource<'Instance'>) => Proposal): Proposal =>
  (view, context) => {
    const seen = view.get('Instance', id);
    return seen ? observe(seen)(view, context) : [];
  };

/** Each by the name of what makes it: every way in which it can be made that matters to an instance. */
const proposals: Readonly<Record<string, readonly Proposal[]>> = {
  actOnInstance: (['start', 'stop', 'restart', 'suspend', 'upgrade-stack'] as const).map(act),
  createHttpToken: [
    createHttpToken({ name: 'plc', instance: id, hash: 'a'.repeat(64), expiresAt: '2039-01-01T00:00:00.000Z' }),
  ],
  createInstance: [
    createInstance({ team: 'Team-core', name: 'new', instanceType: 'small', template: 'standard' }, drivers),
  ],
  createSnapshot: [
    createSnapshot({ of: { kind: 'Instance', id }, name: 'a', kind: 'manual', modules: {}, content }),
    createSnapshot({ of: { kind: 'Instance', id }, name: 'a', kind: 'auto', modules: {}, content, flowsDigest: 'd' }),
  ],
  deleteInstance: [deleteInstance({ id }, drivers), deleteInstance({ id }, new Map())],
  giveCredentialSecret: [giveCredentialSecret(id, 'secret')],
  noteAlerts: [noteAlerts([{ id, alerts: { crash: { toldAt: '2026-01-01T00:00:00.000Z', count: 1 } } }])],
  noticeInstance: [noticeInstance(id, { type: 'FlowsStopped', why }), noticeInstance(id, { type: 'FlowsStopped' })],
  observeInstance: [
    { came: 'up', settings } as const,
    { came: 'down' } as const,
    { came: 'gone' } as const,
    { came: 'failed', ...why } as const,
    { came: 'crashed', ...why } as const,
  ].map((observation) => seeing((seen) => observeInstance(seen, observation))),
  withOwnSecrets: [withOwnSecrets(updateInstance({ id, options: { theme: 'dark' } }), 'User-ann')],
  endRestore: [endRestore(id, 'r1', { flowsDigest: 'd' }), endRestore(id, 'r1', why)],
  restoreSnapshot: [restoreSnapshot({ id, snapshot: 'Snapshot-own' }, drivers)],
  stopOverDisk: [stopOverDisk(id, why)],
  updateInstance: [
    updateInstance({ id, name: 'Pumps 2' }),
    updateInstance({ id, template: 'strict', options: { pageTitle: 'P' }, environment: [{ name: 'A', value: 'b' }] }),
    updateInstance({ id, protected: false }),
    updateInstance({ id, protected: true, endpointAccess: null }),
  ],
};

/** Those that must be refused somewhere, or this test would see nothing. */
const forbidden = ['deleteInstance', 'observeInstance', 'restoreSnapshot'];

const sweep = suite('proposals and a protected instance');

sweep('each that can write an instance is tried here', () => {
  const names = globSync('src/core/proposals/*.ts', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    if (!/['"<]Instance['">]|act-on-instance|update-instance/.test(text)) return [];
    const made = text.matchAll(/^export function (\w+)(?:<[^>]*>)?\((?:[^()]|\([^()]*\))*\): Proposal/gm);
    return Array.from(made, ([, name]) => name ?? '');
  });
  assert.equal(names.sort(), Object.keys(proposals).sort());
});

sweep('each field of an instance is known to bring flows, or not to', () => {
  const others = [
    ...['team', 'instanceType', 'template', 'stack', 'previousStack', 'options', 'environment'],
    ...['desired', 'state', 'url', 'conditions', 'crashes', 'fastEnds', 'safeMode', 'alerts', 'started'],
    ...['protected', 'endpointAccess', 'credentialSecret', 'flowsDigest'],
  ];
  assert.equal(Object.keys(kinds.Instance.spec.shape).sort(), [...others, ...Object.keys(bringFlows)].sort());
});

sweep('what an instance holds is written by a restore alone', () => {
  const files = globSync('src/{control,http,jobs,monitor,notify,cli}/**/*.ts', { cwd: root }).sort();
  const holding = (call: RegExp) => files.filter((file) => call.test(readFileSync(join(root, file), 'utf8')));
  assert.equal(holding(/keeper(?:In\([^;]*\))?\??\.(?:write|unpack)\(/), ['src/control/contents.ts']);
  assert.equal(holding(/\bunpackInto\(/), ['src/control/contents.ts', 'src/control/restore.ts']);
});

const states = kinds.Instance.spec.shape.state.unwrap().options;

for (const [name, made] of Object.entries(proposals))
  sweep(`${name} brings no flows into it, and begins no end of it`, async () => {
    let refused = 0;
    for (const [at, proposal] of made.entries())
      for (const state of states)
        for (const door of ['api', 'config'] as const) {
          const world = await worldIn(state);
          const outcome = outcomeOf(world, proposal, door);
          if (!outcome) continue;
          const { forbids, refuses } = outcome;
          assert.equal(refuses, forbids, `${name} ${at}, while it is ${state}, by ${door}`);
          if (refuses) refused += 1;
        }
    assert.is(refused > 0, forbidden.includes(name));
  });

sweep.run();

/** Whether a proposal would bring flows or begin an end, and whether the rule refuses it; nothing where it is declined before. */
function outcomeOf(
  world: World,
  proposal: Proposal,
  door: Context['origin'],
): { readonly forbids: boolean; readonly refuses: boolean } | undefined {
  const view = world.store.read();
  const before = view.get('Instance', id)?.spec;
  try {
    const tried = transact(view, proposal, world.context(door), { facts: world.door.facts() });
    const after = tried.after.get('Instance', id)?.spec;
    const brings = (Object.keys(bringFlows) as (keyof typeof bringFlows)[]).some(
      (field) => after?.[field] !== undefined && after[field]?.id !== before?.[field]?.id,
    );
    const ends = (!after || after.state === 'deleting') && before?.state !== 'deleting';
    return { forbids: brings || ends, refuses: tried.violations.some(({ rule }) => rule === 'protected-instance') };
  } catch (error) {
    assert.is((error as Error).name, 'Declined', String(error));
    return undefined;
  }
}

/** A world with a protected instance in a state, and a snapshot of it. */
async function worldIn(state: (typeof states)[number]): Promise<World> {
  const bare = await newTeamsWorld('ann');
  await apply(
    bare,
    catalogueWith('{name: starter}\nspec:', '{name: starter}\nspec:\n  features: {protectedInstances: true}'),
  );
  await withTeam(bare, 'core', 'ann');
  const facts: Facts = { ...bare.door.facts(), drivers };
  const world = { ...bare, door: { ...bare.door, facts: () => facts } };
  const base = instance(world, 'core', 'pumps');
  const pumps: Resource = { ...base, spec: { ...base.spec, state, protected: true } };
  const createdBy = { kind: 'user', name: 'ann' };
  const spec = { team: 'Team-core', instance: id, kind: 'manual', createdBy, modules: {}, content };
  await put(world, pumps, living('Snapshot', 'own', spec));
  return world;
}
