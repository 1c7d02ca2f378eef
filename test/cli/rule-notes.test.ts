// What explain knows of rules.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ruleNotes } from '../../src/cli/rule-notes.ts';
import { declaredKindNames } from '../../src/core/kinds/index.ts';
import { rules } from '../../src/core/rules/index.ts';
import { explain, explainable } from '../../src/core/schemas/explain.ts';

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

notes.run();
