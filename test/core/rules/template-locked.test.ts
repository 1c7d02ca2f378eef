// What a template locks is not overridden.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../../src/core/model/change.ts';
import { apply, put, violationsOf, write } from '../../control/world.ts';
import { catalogueWith, edit, idOf, instance, newTeamsWorld, withTeam } from './teams-world.ts';

const locked = suite('template-locked');

const theme =
  'template-locked Instance/pumps: options.theme cannot be overridden, because Template/strict locks it: leave it out, or choose another template';
const zone = theme.replace('theme', 'timeZone');
const site = theme.replace('options.theme', 'the variable SITE');
const overrides = {
  options: { theme: 'light', timeZone: 'Europe/Berlin', pageTitle: 'Pumps', headerTitle: 'Pumps' },
  environment: [
    { name: 'LINE', value: '2' },
    { name: 'SITE', value: 'other' },
    { name: 'OWN', value: 'x' },
  ],
};

locked('keeps a new instance from overriding an option or a variable, with or without a value of its own', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps', { template: 'strict', ...overrides });
  assert.equal(await write(world, () => [created(pumps)]), [theme, zone, site]);
  const { pageTitle, headerTitle } = overrides.options;
  const free = { options: { pageTitle, headerTitle }, environment: [{ name: 'LINE', value: '2' }] };
  assert.equal(
    await write(world, () => [created(instance(world, 'core', 'pumps', { template: 'strict', ...free }))]),
    [],
  );
});

locked('holds for edits, and for a change of the template', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps', overrides);
  await put(world, pumps);
  assert.equal(await write(world, edit(pumps, { template: idOf(world, 'Template', 'strict') })), [theme, zone, site]);
  const strict = { template: idOf(world, 'Template', 'strict'), options: {}, environment: [] };
  assert.equal(await write(world, edit(pumps, strict)), []);
  assert.equal(await write(world, edit(pumps, { options: { theme: 'light' } })), [theme]);
  assert.equal(await write(world, edit(pumps, { environment: [{ name: 'SITE', value: 'main' }] })), [site]);
});

locked('lets a document lock what instances override, who then go on and cannot override it otherwise', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const pumps = instance(world, 'core', 'pumps', {
    template: 'strict',
    options: { pageTitle: 'Pumps' },
    environment: [{ name: 'LINE', value: '2' }],
  });
  await put(world, pumps);
  const title = catalogueWith('pageTitle: {value: Flows}', 'pageTitle: {value: Flows, locked: true}');
  const locks = { ...title, 'templates.yaml': (title['templates.yaml'] ?? '').replace('"1"}', '"1", locked: true}') };
  assert.equal(await violationsOf(world, locks), []);
  await apply(world, locks);
  assert.equal(
    await write(world, edit(pumps, { state: 'running', options: { pageTitle: 'Pumps', theme: undefined } })),
    [],
  );
  assert.equal(await write(world, edit(pumps, { options: { pageTitle: 'Other' } })), [
    theme.replace('theme', 'pageTitle'),
  ]);
  assert.equal(await write(world, edit(pumps, { environment: [{ name: 'LINE', value: '3' }] })), [
    theme.replace('options.theme', 'the variable LINE'),
  ]);
  assert.equal(await write(world, edit(pumps, { options: {}, environment: [] })), []);
  assert.equal(await write(world, edit(pumps, { options: { pageTitle: 'Pumps' } })), [
    theme.replace('theme', 'pageTitle'),
  ]);
});

locked.run();
