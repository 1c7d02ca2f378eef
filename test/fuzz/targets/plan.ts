// Saved plans, which travel through CI: one that was changed by hand is refused in words, and never a bug.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPlan } from '../../../src/cli/apply-plan.ts';
import { created } from '../../../src/core/model/change.ts';
import { createState } from '../../../src/core/model/state.ts';
import { revive } from '../../../src/core/plan/revive.ts';
import { UsageError } from '../../../src/options.ts';
import { stackNamed } from '../../store/samples.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { gist, holds, type Target } from '../target.ts';

const file = join(temporaryFolder().path, 'plan.json');
const state = createState();
const stack = {
  ...stackNamed('a'),
  labels: {},
  managedBy: 'config',
  lifecycle: { protect: false, onRemove: 'delete', ignore: [] },
} as const;
state.apply([created(stack)]);
const context = {
  now: '2026-01-01T00:00:00.000Z',
  newId: () => 'new',
  actor: { kind: 'config' },
  origin: 'config',
} as const;

export const plan: Target = {
  words: [
    '"spec"',
    '"/spec/label"',
    '"/spec/resources/memoryMb"',
    '"/metadata/labels/a"',
    '"/lifecycle/protect"',
    '"__proto__"',
    '"absent":true',
    '"id":"id-a"',
    '"generation":1',
    '"action":"delete"',
    'null',
    '{}',
    '[]',
    '"/spec/__proto__/x"',
    '~1',
    '~2',
    '"/"',
  ],
  seeds: () => [
    planOf('create', 'b', { absent: true }),
    planOf('update', 'a', { id: 'id-a', generation: 1 }),
    planOf('delete', 'a', { id: 'id-a', generation: 1 }),
  ],
  mostMs: 2000,
  check: (input) => {
    writeFileSync(file, input);
    try {
      const saved = readPlan(file);
      const { changes, stale, done } = revive(saved, state, context);
      holds(({} as { x?: unknown }).x === undefined, 'the prototype of all objects was written to');
      return `${changes.length} ${stale.length} ${done.length}`;
    } catch (error) {
      const isTold = error instanceof UsageError || error instanceof RangeError || error instanceof z.ZodError;
      if (!isTold) throw error;
      return gist(
        error instanceof z.ZodError ? String(error.issues[0]?.path.join('.')) : error.message.replace(file, ''),
      );
    }
  },
};

function planOf(action: string, name: string, precondition: object): string {
  const summary = { create: 1, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 0, blocked: 0 };
  const fields = [
    { path: '/spec/label', before: null, after: 'b' },
    { path: '/spec/runtime', before: null, after: '4' },
    { path: '/metadata/labels/tier', before: null, after: 'x' },
    { path: '/lifecycle/protect', before: false, after: true },
  ];
  const change = {
    address: `Stack/${name}`,
    kind: 'Stack',
    name,
    action,
    precondition,
    fields,
    affects: {},
    source: { file: 'a.yaml', line: 1 },
  };
  const base = { revision: null, digest: 'x' };
  return JSON.stringify({
    formatVersion: 1,
    base,
    source: { digest: 'x', files: 1 },
    summary,
    changes: [change],
    findings: [],
    adopted: [{ address: 'Stack/a', kind: 'Stack', name: 'a', precondition, source: { file: 'a.yaml', line: 1 } }],
  });
}
