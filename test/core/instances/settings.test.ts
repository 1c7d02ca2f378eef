// Effective settings: what the template gives, what the instance may override, and what differs from what it was started with.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  differingSettings,
  effectiveEnvironment,
  effectiveOptions,
  settingsOf,
} from '../../../src/core/instances/settings.ts';
import { kinds } from '../../../src/core/kinds/index.ts';
import { optionValues } from '../../../src/core/kinds/template-options.ts';

const template = kinds.Template.spec.parse({
  options: {
    theme: { value: 'dark' },
    codeEditor: { value: 'monaco' },
    excludedNodes: { value: '90-exec.js', locked: true },
    pageTitle: { locked: true },
  },
  environment: [
    { name: 'SITE', value: 'main', locked: true },
    { name: 'LINE', value: '1' },
  ],
});
const stack = { runtime: '4.1', resources: { memoryMb: 256 } };

const options = suite('effective options');
const option = (name: string, own: object) =>
  effectiveOptions(template, { options: own }).find((one) => one.name === name);

options('are all that there are, each with where it comes from', () => {
  const all = effectiveOptions(template, {});
  assert.is(all.length, Object.keys(optionValues).length);
  assert.equal(option('theme', {}), { name: 'theme', value: 'dark', origin: 'template', locked: false });
  assert.equal(option('timeZone', {}), { name: 'timeZone', origin: 'default', locked: false });
});

options('are those of the instance where the template leaves them free', () => {
  assert.equal(option('theme', { theme: 'light' }), {
    name: 'theme',
    value: 'light',
    origin: 'instance',
    locked: false,
  });
  assert.equal(option('disableEditor', { disableEditor: false }), {
    name: 'disableEditor',
    value: false,
    origin: 'instance',
    locked: false,
  });
});

options('are the template’s where it locks them, also when the lock came later, and also without a value', () => {
  assert.equal(option('excludedNodes', { excludedNodes: '' }), {
    name: 'excludedNodes',
    value: '90-exec.js',
    origin: 'template',
    locked: true,
  });
  assert.equal(option('pageTitle', { pageTitle: 'Mine' }), { name: 'pageTitle', origin: 'default', locked: true });
});

options('are the instance’s alone where there is no template', () => {
  const all = effectiveOptions(undefined, { options: { theme: 'light' } });
  assert.equal(
    all.filter(({ origin }) => origin !== 'default').map(({ name }) => name),
    ['theme'],
  );
});

options.run();

const environment = suite('the effective environment');

environment('is the template’s with what the instance overrides, and then what it adds', () => {
  const own = [
    { name: 'SITE', value: 'elsewhere' },
    { name: 'LINE', value: '2' },
    { name: 'OWN', value: 'x' },
  ];
  assert.equal(effectiveEnvironment(template, { environment: own }), [
    { name: 'SITE', value: 'main', origin: 'template', locked: true },
    { name: 'LINE', value: '2', origin: 'instance', locked: false },
    { name: 'OWN', value: 'x', origin: 'instance', locked: false },
  ]);
});

environment.run();

const differing = suite('settings that differ');
const settings = (own: object = {}, given = template, runs = stack) => settingsOf(runs, given, own);

differing('are none between what is the same', () => {
  assert.equal(differingSettings(settings(), settings()), []);
  assert.equal(differingSettings(settings(), settings({ options: { theme: 'dark' } })), [], 'whoever says it');
});

differing('are named: the stack’s, options, and variables that came, went or changed', () => {
  const after = settings(
    { options: { theme: 'light' }, environment: [{ name: 'OWN', value: 'x' }] },
    kinds.Template.spec.parse({ options: { theme: { value: 'dark' } }, environment: [{ name: 'LINE', value: '3' }] }),
    { runtime: '5.0', resources: { memoryMb: 512 } },
  );
  assert.equal(differingSettings(settings(), after), [
    'runtime',
    'resources',
    'codeEditor',
    'theme',
    'excludedNodes',
    'environment.SITE',
    'environment.LINE',
    'environment.OWN',
  ]);
});

differing('name the address where host names came or went since', () => {
  const atRoot = { ...settings(), atRoot: true } as const;
  assert.equal(differingSettings(settings(), atRoot), ['address']);
  assert.equal(differingSettings(atRoot, settings()), ['address']);
  assert.equal(differingSettings(atRoot, atRoot), []);
});

differing.run();
