// Deletions in a plan for people: one line each, where it stood, and one word about too many of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesText } from '../../../src/cli/output/plan-text.ts';
import { styleOf } from '../../../src/cli/output/style.ts';
import type { PlanDocument, PlannedChange } from '../../../src/core/plan/plan-document.ts';
import { stack, type Workspace, workspace } from '../world.ts';

const told = (changes: readonly PlannedChange[]) =>
  changesText({ changes, consequences: [] } as unknown as PlanDocument, styleOf(false));

const guard = { rule: 'mass-delete', severity: 'error', message: 'too many' } as const;
const use = { rule: 'in-use', severity: 'error', message: 'used' } as const;

function deletion(name: string, more: Partial<PlannedChange> = {}): PlannedChange {
  const fields = [{ path: '/spec/runtime', before: '4', after: null }];
  const precondition = { id: name, generation: 1 };
  return {
    address: `Stack/${name}`,
    kind: 'Stack',
    name,
    action: 'delete',
    precondition,
    fields,
    affects: {},
    ...more,
  };
}

const deletions = suite('deletions');

deletions('stand together, each with where it stood and how much goes', () => {
  const previousSource = { file: 'stacks/a.yaml', line: 3 };
  assert.is(
    told([deletion('a', { previousSource }), deletion('long-name'), deletion('b', { affects: { teams: 1 } })]),
    `  - delete Stack/b   (1 field)
      affects 1 team

  - delete Stack/a           was stacks/a.yaml:3 (1 field)
  - delete Stack/long-name   (1 field)

`,
  );
});

deletions('that are too many together say so once, and what blocks one alone says so there', () => {
  const blocked = { action: 'blocked', blockedBy: [guard] } as const;
  assert.is(
    told([
      deletion('a', blocked),
      deletion('b', blocked),
      deletion('c', { action: 'blocked', blockedBy: [use, guard] }),
    ]),
    `  ! delete Stack/c   (1 field)
      blocked by in-use (see below)

  ! delete Stack/a   (1 field)
  ! delete Stack/b   (1 field)
      3 deletions blocked by mass-delete (see below)

`,
  );
});

deletions.run();

const plans = suite<{ here: Workspace }>('a plan that deletes');

plans.before.each(async (context) => {
  context.here = await workspace();
});
plans.after.each(({ here }) => here.remove());

plans('carries where the document stood, and so does one that sets an object free', async ({ here }) => {
  const free = stack.replace('nr-4', 'free').replace('spec:', 'lifecycle: {onRemove: orphan}\nspec:');
  here.write('config/more.yaml', `${stack.replace('nr-4', 'gone')}---\n${free}`);
  await here.weir('apply');
  here.write('config/more.yaml', `${stack.replace('nr-4', 'new')}`);
  const plan: PlanDocument = JSON.parse((await here.weir('plan --output json --out plan.json')).stdout);
  assert.equal(
    plan.changes.map(({ address, action, source, previousSource }) => [address, action, source?.line, previousSource]),
    [
      ['Stack/new', 'create', 1, undefined],
      ['Stack/free', 'update', undefined, { file: 'more.yaml', line: 7 }],
      ['Stack/gone', 'delete', undefined, { file: 'more.yaml', line: 1 }],
    ],
  );
  const { stdout } = await here.weir('plan');
  assert.match(stdout, '  - delete Stack/gone   was more.yaml:1 (2 fields)\n');
  const { code, stdout: applied } = await here.weir('apply plan.json');
  assert.is(code, 0, applied);
  assert.match(applied, 'Applied: 1 created, 1 updated, 1 deleted');
});

plans('knows a deletion that is blocked from an update', async ({ here }) => {
  here.write('config/more.yaml', `${stack.replace('nr-4', 'kept')}lifecycle: {protect: true}\n`);
  await here.weir('apply');
  here.write('config/more.yaml', stack.replace('nr-4', 'new'));
  const { code, stdout } = await here.weir('plan');
  assert.is(code, 3);
  assert.match(stdout, /! delete Stack\/kept {3}was more\.yaml:1 \(3 fields\)\n {6}blocked by protected/);
});

plans.run();
