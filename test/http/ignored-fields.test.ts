// Fields that a document leaves to the API (lifecycle.ignore), from the API to the export and back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ServerWorld, startWorld, tree } from './world.ts';

const starter = (order: number) => `kind: TeamType
metadata: {name: starter}
lifecycle: {ignore: [/spec/description, /spec/instanceTypes/small/limit, /spec/features/teamLibrary]}
spec:
  description: From the file
  order: ${order}
  features: {teamLibrary: true}
  instanceTypes: [{name: small, limit: 2}]
`;

const small = tree['types.yaml']?.split('---')[0] ?? '';
const files = { ...tree, 'types.yaml': small, 'starter.yaml': starter(0) };
const at = '/api/v1/team-types/starter';

const ignored = suite<{ world: ServerWorld }>('a field that is left to the API');

ignored.before.each(async (context) => {
  context.world = await startWorld(files);
});
ignored.after.each(({ world }) => world.close());

async function write(world: ServerWorld, change: object) {
  const { body } = await world.ask('GET', at);
  return world.ask('PUT', at, { body: { spec: { ...body.spec, ...change } } });
}

ignored('has what the file says until somebody writes it', async ({ world }) => {
  const { body } = await world.ask('GET', at);
  assert.is(body.spec.description, 'From the file');
  assert.equal(body.lifecycle.ignore, [
    '/spec/description',
    '/spec/instanceTypes/small/limit',
    '/spec/features/teamLibrary',
  ]);
});

ignored('can be written although a document declares the object; nothing else of it can', async ({ world }) => {
  const done = await write(world, { description: 'By hand', instanceTypes: [{ name: 'small', limit: 9 }] });
  assert.is(done.status, 200, done.text);
  assert.is(done.body.spec.description, 'By hand');
  assert.is(done.body.status.managedBy, 'config');
  assert.is(done.body.status.generation, 2);
  const refused = await write(world, { description: 'By hand too', order: 4 });
  assert.is(refused.status, 409);
  assert.is(refused.body.code, 'config_managed');
  assert.match(refused.body.violations[0].message, /starter\.yaml:1 declares it/);
  assert.is((await world.ask('GET', at)).body.spec.description, 'By hand');
});

ignored('is not said to be set by a file, where all else is', async ({ world }) => {
  const { body } = await world.ask('GET', at);
  assert.equal(Object.keys(body.status.sources).sort(), ['/spec/instanceTypes/small/name', '/spec/order']);
});

ignored('survives every reconcile, and is no drift', async ({ world }) => {
  await write(world, { description: 'By hand', features: { teamLibrary: false } });
  const plan = await world.ask('GET', '/api/v1/admin/config/plan');
  assert.equal(plan.body.changes, []);
  writeFileSync(join(world.root, 'starter.yaml'), starter(7));
  const done = await world.ask('POST', '/api/v1/admin/config/reconcile', { body: {} });
  assert.equal(
    done.body.changes.map(({ address, fields }: { address: string; fields: { path: string }[] }) => [
      address,
      fields.map(({ path }) => path),
    ]),
    [['TeamType/starter', ['/spec/order']]],
  );
  const { body } = await world.ask('GET', at);
  assert.is(body.spec.order, 7);
  assert.is(body.spec.description, 'By hand');
  assert.is(body.spec.features.teamLibrary, false);
});

ignored('goes back to the file once the file stops leaving it', async ({ world }) => {
  await write(world, { description: 'By hand' });
  writeFileSync(join(world.root, 'starter.yaml'), starter(0).replace('/spec/description, ', ''));
  await world.ask('POST', '/api/v1/admin/config/reconcile', { body: {} });
  assert.is((await world.ask('GET', at)).body.spec.description, 'From the file');
});

ignored('is exported as it is, and stays left to the API: the export plans to nothing', async ({ world }) => {
  await write(world, { description: 'By hand', instanceTypes: [{ name: 'small', limit: 9 }] });
  const { documents } = (await world.ask('GET', '/api/v1/admin/config/export')).body;
  const content = documents.find(({ path }: { path: string }) => path === 'team-types/starter.yaml')?.content;
  assert.match(content, /description: By hand/);
  assert.match(content, /limit: 9/);
  assert.match(content, /ignore:\n {4}- \/spec\/description/);
  const plan = await world.ask('POST', '/api/v1/admin/config/plan', { body: { documents } });
  assert.equal(plan.body.changes, []);
});

ignored.run();
