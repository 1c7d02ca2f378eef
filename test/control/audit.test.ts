// The audit log by every way in: whatever changes the state has its entry in the same commit, and nothing else has one.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditEntryOf, auditFilter } from '../../src/control/audit.ts';
import { PlanBlocked } from '../../src/control/failures.ts';
import { applySaved } from '../../src/control/reconcile.ts';
import { submit } from '../../src/control/submit.ts';
import type { AuditEntry } from '../../src/core/audit/entry.ts';
import { kindNames, kindOf } from '../../src/core/kinds/index.ts';
import { type Change, created, deleted, updated } from '../../src/core/model/change.ts';
import { happened, type Proposal } from '../../src/core/model/proposal.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { createState, type State } from '../../src/core/model/state.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import type { Store } from '../../src/store/store.ts';
import { assertTells, differs } from '../core/audit/tells.ts';
import { anyTree, filesOf } from '../core/plan/any-tree.ts';
import {
  apply,
  type Files,
  facts,
  living,
  made,
  newWorld,
  planOf,
  put,
  record,
  violationsOf,
  type World,
  write,
} from './world.ts';

const audit = suite('the audit log');

const hash = 'a'.repeat(64);

/** Oldest first. */
async function entriesOf({ store }: Pick<World, 'store'>): Promise<AuditEntry[]> {
  const records = await store.records({ stream: 'audit', limit: 10_000 });
  return records.map(auditEntryOf).reverse();
}

const told = (entries: readonly AuditEntry[]): string[] =>
  entries.map(({ event, target, actor }) => `${actor.kind} ${event} ${target.name}`);

audit('has an entry for what the API does, and none for what it is refused', async () => {
  const world = newWorld();
  await write(world, () => [created(made('Stack', 'a', { runtime: '4' }))]);
  const problems = await write(world, () => [created(made('Stack', 'b', { runtime: 'a/b' }))]);
  assert.is(problems.length, 1);
  assert.equal(told(await entriesOf(world)), ['user stack.created a']);
});

audit('has an entry for each thing that a document does: making, changing, renaming, adopting, deleting', async () => {
  const world = newWorld();
  const stack = (name: string, label: string, more = '') =>
    `kind: Stack\nmetadata: {name: ${name}${more}}\nspec: {runtime: "4", label: ${label}}\n`;
  await put(
    world,
    made('Stack', 'equal', { runtime: '4', label: 'same' }),
    made('Stack', 'other', { runtime: '4', label: 'was' }),
  );
  await apply(world, { 'a.yaml': stack('a', 'one'), 'b.yaml': stack('b', 'one') });
  const type = made('InstanceType', 'api-type', { stacks: ['a'] });
  await write(world, () => [created(type)]);
  const seen = (await entriesOf(world)).length;
  const adopt = { ...noConsents, adopt: new Set(['Stack/other']) };
  const files = {
    'a.yaml': stack('aa', 'one', ', previousNames: [a]'),
    'equal.yaml': stack('equal', 'same'),
    'other.yaml': stack('other', 'is'),
  };
  await apply(world, files, adopt);
  const entries = (await entriesOf(world)).slice(seen);
  assert.equal(told(entries).sort(), [
    'config instance-type.updated api-type',
    'config stack.deleted b',
    'config stack.updated aa',
    'config stack.updated equal',
    'config stack.updated other',
  ]);
  const changesOf = (name: string) => entries.find(({ target }) => target.name === name)?.changes;
  assert.equal(changesOf('aa'), [{ path: '/metadata/name', before: 'a', after: 'aa' }]);
  assert.equal(changesOf('equal'), [{ path: '/status/managedBy', before: 'api', after: 'config' }]);
  assert.equal(changesOf('other'), [
    { path: '/status/managedBy', before: 'api', after: 'config' },
    { path: '/spec/label', before: 'was', after: 'is' },
  ]);
  assert.equal(changesOf('api-type'), [{ path: '/spec/stacks', before: ['a'], after: ['aa'] }]);
});

audit(
  'has no entry for a document that moved, that says the same otherwise, or that may not do what it wants',
  async () => {
    const world = newWorld();
    const stacks = 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4"}\n';
    await apply(world, { 'a.yaml': stacks });
    const before = await entriesOf(world);
    await apply(world, { 'sub/b.yaml': `# moved\n${stacks}` });
    await apply(world, { 'a.yaml': stacks.replace('{runtime: "4"}', '{runtime: "4", active: true}') });
    await write(world, () => [created(made('Stack', 'api', { runtime: '4' }))]);
    assert.is(
      (await violationsOf(world, { 'a.yaml': stacks.replace('a}', 'api}').replace('4', '5') })).length > 0,
      true,
    );
    assert.equal(told((await entriesOf(world)).slice(before.length)), ['user stack.created api']);
  },
);

audit('has the entries of a saved plan', async () => {
  const world = newWorld();
  const { document } = await planOf(world, { 'a.yaml': 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4"}\n' });
  const context = { ...world.context('config'), actor: { kind: 'config', name: 'command' }, revision: 'r1' } as const;
  await applySaved(world.store, document, { context, facts, record: () => record(world) });
  const entries = await entriesOf(world);
  assert.equal(told(entries).sort(), ['config platform.created platform', 'config stack.created a']);
  assert.ok(entries.every(({ revision, actor }) => revision === 'r1' && actor.name === 'command'));
});

audit('tells what follows from a change too, as done by the same actor', async () => {
  const world = newWorld();
  const settings = (on: boolean) =>
    `kind: AdminSettings\nmetadata: {name: default}\nspec: {statisticsTokenAccess: ${on}}\n`;
  const ann = living('User', 'ann', { email: 'ann@example.org' });
  await apply(world, { 'settings.yaml': settings(true) });
  await put(
    world,
    ann,
    living('User', 'bob', { email: 'b@example.org', admin: true }),
    living('StatisticsToken', 'statistics', { hash }),
  );
  await put(world, living('Token', 'ci', { user: ann.id, hash }));
  const seen = (await entriesOf(world)).length;
  await apply(world, { 'settings.yaml': settings(false) });
  await write(world, () => [deleted(ann)]);
  assert.equal(told((await entriesOf(world)).slice(seen)), [
    'config admin-settings.updated default',
    'config statistics-token.deleted statistics',
    'user user.deleted ann',
    'user token.deleted ci',
  ]);
});

audit('has what happened without a change', async () => {
  const world = newWorld();
  const failed = { event: 'sign-in.failed', target: { kind: 'User', name: 'nobody' } };
  await submit(world.door, happened(failed), world.context('api'));
  const entries = await entriesOf(world);
  assert.equal(told(entries), ['user sign-in.failed nobody']);
  assert.equal(entries[0]?.changes, []);
});

audit('is found by what an entry says', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': 'kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4"}\n' });
  await write(world, () => [created(made('Stack', 'b', { runtime: '4' }))]);
  const found = async (filter: Parameters<typeof auditFilter>[0]) => {
    const records = await world.store.records({ ...auditFilter(filter), limit: 10 });
    assert.is(await world.store.countRecords(auditFilter(filter)), records.length);
    return told(records.map(auditEntryOf));
  };
  assert.equal(await found({ event: 'stack' }), ['user stack.created b', 'config stack.created a']);
  assert.equal(await found({ event: 'stack', actor: 'config' }), ['config stack.created a']);
  assert.equal(await found({ target: 'b', actor: 'ann' }), ['user stack.created b']);
  assert.equal(await found({ team: 'none' }), []);
  assert.is((await found({})).length, 3);
});

/** What somebody may do over the API in the world of the property. */
const anyProposal: fc.Arbitrary<Proposal> = fc
  .tuple(
    fc.constantFrom('Stack', 'Template', 'User', 'Team', 'Membership'),
    fc.constantFrom('make', 'change', 'rename', 'delete', 'touch'),
    fc.nat(2),
    fc.constantFrom('x', 'y', 'z'),
  )
  .map(
    ([kind, what, number, text]): Proposal =>
      (view) => {
        const current: Resource | undefined = view.get(kind, `${kind}-${number}`);
        const wanted = anyResource(kind, number, text);
        if (!current) return what === 'make' ? [created(wanted)] : [];
        const next = { make: current, delete: current, ...alterations(current, wanted, text) }[what];
        return what === 'make' ? [] : [what === 'delete' ? deleted(current) : updated(current, next)];
      },
  );

function alterations(current: Resource, wanted: Resource, text: string) {
  const noted = current.kind === 'User' ? { lastSignInAt: '2026-01-01T00:00:00.000Z' } : {};
  return {
    change: withSpec(current, wanted.spec),
    rename: { ...current, name: `${current.name.slice(0, 8)}-${text}` },
    touch: withSpec(current, noted),
  };
}

function anyResource(kind: string, number: number, text: string): Resource {
  const name = `${kind.toLowerCase()}-${number}`;
  const from = <K extends Parameters<typeof living>[0]>(of: K, spec: object) => ({
    ...living(of, name, spec),
    id: `${kind}-${number}`,
  });
  if (kind === 'Stack')
    return { ...made('Stack', name, { runtime: '4', label: text }), id: `${kind}-${number}` } as Resource;
  if (kind === 'Template') {
    const environment = [
      { name: 'A', value: text },
      ...(text === 'x' ? [] : [{ name: text, value: 'v', locked: true }]),
    ];
    const options = { pageTitle: { value: text, locked: text === 'y' }, npmrc: { value: { value: `secret-${text}` } } };
    return { ...made('Template', name, { environment, options }), id: `${kind}-${number}` } as Resource;
  }
  if (kind === 'User')
    return from('User', { email: `${name}-${text}@example.org`, displayName: text, passwordHash: `secret-${text}` });
  if (kind === 'Team') return from('Team', { displayName: text, type: 'type' });
  return from('Membership', {
    team: `Team-${number}`,
    user: `User-${number}`,
    role: text === 'x' ? 'owner' : 'member',
  });
}

function withSpec(resource: Resource, spec: object): Resource {
  return { ...resource, spec: { ...resource.spec, ...spec } } as Resource;
}

/** Follows a store; answers a check that what entries say of each commit is what it did, told once. */
function follow(store: Store): () => void {
  const known: State = createState();
  for (const kind of kindNames) known.apply([...store.read().all(kind)].map((one: Resource) => created(one)));
  const problems: unknown[] = [];
  const end = store.subscribe((entry) => {
    if (entry === 'reset') return;
    try {
      const entries = entry.records.filter(({ stream }) => stream === 'audit').map(auditEntryOf);
      compare(entry.changes, entries, known);
    } catch (error) {
      problems.push(error);
    }
    known.apply(entry.changes);
  });
  return () => {
    end();
    if (problems.length > 0) throw problems[0];
  };
}

function compare(changes: readonly Change[], entries: readonly AuditEntry[], before: State): void {
  const byId = new Map(entries.map((entry) => [entry.target.id, entry]));
  assert.is(byId.size, entries.length, 'one entry for each');
  for (const { kind, id, after } of changes) {
    const current: Resource | undefined = before.get(kind, id);
    const entry = byId.get(id);
    byId.delete(id);
    // What only Weir itself knows is told of to nobody.
    assert.is(entry !== undefined, !kindOf(kind).internal && differs(current, after), `${kind} ${id}`);
    if (entry) assertTells(entry, current, after);
  }
  assert.is(byId.size, 0, 'no entry for anything else');
}

audit(
  'says of random writes what the state shows: one entry for each change, with all of it, and no secret',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyProposal, { maxLength: 30 }), async (proposals) => {
        const world = newWorld();
        await put(
          world,
          { ...made('TeamType', 'type', {}), id: 'type' } as Resource,
          living('User', 'root', { email: 'root@example.org', admin: true }),
        );
        const check = follow(world.store);
        for (const proposal of proposals) await write(world, proposal);
        check();
        assert.not.match(JSON.stringify(await entriesOf(world)), /secret-/);
      }),
      { numRuns: 60 },
    );
  },
);

audit('says of random trees what the state shows', async () => {
  const trees = fc.array(anyTree.map(filesOf), { minLength: 1, maxLength: 4 });
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(trees, async (versions: Files[]) => {
      const world = newWorld();
      const check = follow(world.store);
      for (const files of versions)
        await apply(world, files).then(
          () => applied++,
          (error: unknown) => assert.instance(error, PlanBlocked),
        );
      check();
    }),
    { numRuns: 40 },
  );
  assert.ok(applied >= 40, String(applied));
});

audit.run();
