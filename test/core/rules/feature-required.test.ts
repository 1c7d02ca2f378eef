// What a feature gives is had only where the feature has an effect for the team.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FeatureName, featureNames } from '../../../src/core/kinds/features.ts';
import { created } from '../../../src/core/model/change.ts';
import type { Facts } from '../../../src/core/rules/facts.ts';
import { featureLack } from '../../../src/core/rules/feature-required.ts';
import { apply, put, type World, write } from '../../control/world.ts';
import { catalogueWith, edit, instance, newTeamsWorld, withTeam } from './teams-world.ts';

const required = suite('feature-required');

const limits = { apiMaxLength: '1mb', debugMaxLength: 50 };
const registries = { catalogues: ['https://nodes.example.com/catalogue.json'], npmrc: { value: 'x=1' } };

/** A world whose type `starter` switches these on, on a build that provides these. */
async function worldWith(on: readonly FeatureName[], provided: readonly FeatureName[] = featureNames): Promise<World> {
  const world = await newTeamsWorld('ann');
  const switches = `{name: starter}\nspec:\n  features: {${on.map((name) => `${name}: true`).join(', ')}}`;
  await apply(world, catalogueWith('{name: starter}\nspec:', switches));
  await withTeam(world, 'core', 'ann');
  const known: Facts = { ...world.door.facts(), drivers: new Map([['local', { provides: new Set(provided) }]]) };
  return { ...world, door: { ...world.door, facts: () => known } };
}

required('keeps options from an instance whose team has not their feature, all at once', async () => {
  const world = await worldWith([]);
  const pumps = instance(world, 'core', 'pumps', { options: { theme: 'dark', ...limits, ...registries } });
  const off = (option: string, feature: string) =>
    `feature-required Instance/pumps: options.${option} cannot be set here, because TeamType/starter, the type of Team/core, does not switch on the feature ${feature}: have an admin switch it on, or choose another team type`;
  assert.equal(await write(world, () => [created(pumps)]), [
    off('apiMaxLength', 'apiDebugLengthLimits (API/Debug Length Limits)'),
    off('debugMaxLength', 'apiDebugLengthLimits (API/Debug Length Limits)'),
    off('catalogues', 'customNpmCatalogs (Custom NPM Catalogs)'),
    off('npmrc', 'customNpmCatalogs (Custom NPM Catalogs)'),
  ]);
});

required('lets them be where it has, one feature for itself', async () => {
  const world = await worldWith(['apiDebugLengthLimits']);
  const pumps = instance(world, 'core', 'pumps', { options: limits });
  assert.equal(await write(world, () => [created(pumps)]), []);
  assert.is((await write(world, edit(pumps, { options: { ...limits, ...registries } }))).length, 2);
});

required('says why a feature that is switched on has no effect', async () => {
  const world = await worldWith(['apiDebugLengthLimits'], []);
  const pumps = instance(world, 'core', 'pumps', { options: { debugMaxLength: 50 } });
  assert.equal(await write(world, () => [created(pumps)]), [
    'feature-required Instance/pumps: options.debugMaxLength cannot be set here, because the feature apiDebugLengthLimits (API/Debug Length Limits), which TeamType/starter switches on, has no effect while this version of Weir does not provide it: an admin would have to provide for that',
  ]);
});

required('leaves what was there when the feature was switched off, and lets it go', async () => {
  const world = await worldWith([]);
  const pumps = instance(world, 'core', 'pumps', { options: limits });
  await put(world, pumps);
  assert.equal(await write(world, edit(pumps, { state: 'running', options: { ...limits, theme: 'dark' } })), []);
  assert.is((await write(world, edit(pumps, { options: { ...limits, debugMaxLength: 51 } }))).length, 1);
  assert.equal(await write(world, edit(pumps, { options: { debugMaxLength: 50 } })), []);
  assert.is((await write(world, edit(pumps, { options: limits }))).length, 1);
});

required('tells whoever asks for something else that needs a feature', async () => {
  const world = await worldWith(['emailAlerts', 'instanceResources']);
  const lack = (feature: FeatureName) =>
    featureLack(world.store.read(), world.door.facts(), {
      team: 'Team-core',
      feature,
      resource: { kind: 'Instance', name: 'pumps' },
      what: 'nothing can be seen',
    });
  assert.is(lack('instanceResources'), undefined);
  assert.is(
    lack('emailAlerts')?.message,
    'Instance/pumps: nothing can be seen, because the feature emailAlerts (Email Alerts), which TeamType/starter switches on, has no effect while email is off (Platform.spec.email): an admin would have to provide for that',
  );
  assert.match(lack('tables')?.message ?? '', /does not switch on the feature tables \(Tables\)/);
});

required.run();
