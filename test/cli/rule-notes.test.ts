// What explain knows of rules.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { helpFor, ruleIds } from '../../src/cli/output/rule-help.ts';
import { ruleNotes } from '../../src/cli/rule-notes.ts';
import { declaredKindNames } from '../../src/core/kinds/index.ts';
import { rules } from '../../src/core/rules/index.ts';
import { explain, explainable } from '../../src/core/schemas/explain.ts';
import { runHere } from './world.ts';

const notes = suite('the notes of rules');

/** They look at people and teams, or at documents and plans as a whole. */
const guardNoField = [
  'duplicate-object',
  'last-admin',
  'last-owner',
  'slug-unique',
  'username-unique',
  'email-unique',
  'protected',
  'protected-instance',
  'config-managed',
  'needs-adopt',
  'emptied-file',
  'vanished',
  'overlay-without-base',
];

notes('tell the fields of every rule that guards some', () => {
  assert.equal(
    ruleNotes.map(({ id }) => id),
    rules.map(({ id }) => id),
  );
  const without = ruleNotes.filter(({ guards = [] }) => guards.length === 0).map(({ id }) => id);
  assert.equal(
    without,
    rules.map(({ id }) => id).filter((id) => guardNoField.includes(id)),
  );
});

notes('name fields that there are, each of which explains the rule', () => {
  for (const { id, guards = [] } of ruleNotes)
    for (const guard of guards) {
      const [kind, ...steps] = guard.split('.');
      const declared = declaredKindNames.find((name) => name === kind);
      assert.ok(declared, guard);
      assert.ok(explainable(declared).includes(steps.join('.')), guard);
      assert.match(explain(declared, steps.join('.'), { rules: ruleNotes }) ?? '', `${id}: refuses `, guard);
    }
});

notes('say of every rule and warning what it refuses, why, and how to mend it', async () => {
  for (const id of new Set([...ruleIds, ...rules.map((rule) => rule.id)])) {
    const { about, why, help } = helpFor(id);
    assert.ok(ruleIds.includes(id), id);
    for (const text of [about, why, help])
      assert.match(text ?? '', /^[A-Z].{15,}\.$/s, `${id} in cli/output/rule-help.ts`);
    const { code, stdout } = await runHere(['explain', id], '/');
    assert.is(code, 0, id);
    assert.match(stdout.replaceAll(/\s+/g, ' '), `${about} why ${why} what to do ${help}`, id);
  }
});

notes('tell what rules look at that no document declares, with the requests that write it', async () => {
  const { stdout } = await runHere(['explain', 'environment-size'], '/');
  assert.match(stdout, /\nfields\n {2}Template\.spec\.environment\n/);
  assert.match(stdout, 'Instance.environment (POST /api/v1/teams/{id}/instances, PUT /api/v1/instances/{id})');
  assert.match(stdout, 'Device.environment (PUT /api/v1/devices/{id})');
  const described = JSON.parse(readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8'));
  for (const door of ruleNotes.flatMap(({ doors = [] }) => doors))
    for (const [, method = '', path = ''] of door.matchAll(/(POST|PUT) ([^,)]+)/g))
      assert.ok(described.paths[path]?.[method.toLowerCase()], door);
});

notes('and fields are wrapped to the screen, and never cut', async () => {
  const words = (text: string) => text.replaceAll(/\s+/g, ' ');
  for (const columns of [80, 100, 160])
    for (const line of [
      ['explain'],
      ...declaredKindNames.map((kind) => ['explain', kind]),
      ['explain', 'mass-delete'],
    ]) {
      const { code, stdout } = await runHere(line, '/', { terminal: true, columns });
      assert.is(code, 0);
      assert.not.match(stdout, '\u2026');
      // An example is as it would be written.
      const told = stdout.split('\nexample\n')[0] ?? '';
      // Deep lists need more than 80.
      for (const row of told.split('\n')) assert.ok(row.length <= Math.max(columns, 100), `${columns}: ${row}`);
    }
  const { stdout } = await runHere(['explain'], '/', { terminal: true, columns: 80 });
  for (const id of ruleIds) {
    const [first = ''] = helpFor(id).about.split(' ').slice(-1);
    assert.ok(words(stdout).includes(first), `${id} to its last word`);
  }
});

notes.run();
