// What explain knows of rules.
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
      assert.match(explain(declared, steps.join('.'), ruleNotes) ?? '', `${id}: refuses `, guard);
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

notes.run();
