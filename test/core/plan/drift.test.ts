// Why something is not as the tree wants it: by the mark of the document that a server made it from.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updated } from '../../../src/core/model/change.ts';
import { type DeclaredResource, defaultLifecycle } from '../../../src/core/model/resource.ts';
import type { Desired } from '../../../src/core/plan/desired.ts';
import { causeOfChange, causeOfCreation, causeOfDeletion, markOf } from '../../../src/core/plan/drift.ts';
import { made, newWorld, put } from '../../control/world.ts';

const document: Desired['document'] = {
  file: 'a.yaml',
  value: {},
  locate: () => ({ file: 'a.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 }),
  raw: () => undefined,
};

function stack(more: Partial<Desired<'Stack'>> = {}): Desired {
  return {
    kind: 'Stack',
    name: 'a',
    previousNames: [],
    labels: {},
    lifecycle: defaultLifecycle,
    spec: { active: true, runtime: '4.1', resources: {} } as Desired<'Stack'>['spec'],
    document,
    source: { file: 'a.yaml', line: 1 },
    ...more,
  } as Desired;
}

const spec = (label: string) => ({ spec: { ...stack().spec, label } as Desired<'Stack'>['spec'] });

const drift = suite('the cause of a change');

drift('knows a document again by what it wants, wherever it stands', () => {
  assert.is(markOf(stack()), markOf(stack({ source: { file: 'b.yaml', line: 7 }, document: { ...document } })));
  const others = [
    stack(),
    stack({ name: 'b' }),
    stack({ previousNames: ['z'] }),
    stack({ previousNames: ['y'] }),
    stack({ labels: { team: 'core' } }),
    stack({ lifecycle: { ...defaultLifecycle, ignore: ['/spec/label'] } }),
    stack(spec('one')),
    stack(spec('two')),
    // The same letters in another order, and what differs in its last letter alone.
    stack(spec('eno')),
    stack(spec(`${'x'.repeat(500)}a`)),
    stack(spec(`${'x'.repeat(500)}b`)),
  ];
  assert.is(new Set(others.map(markOf)).size, others.length);
});

drift('has marks that hold in the next version, so that an upgrade takes nothing for another document', () => {
  assert.equal(
    [markOf(stack()), markOf(stack({ previousNames: ['z'] })), markOf(stack(spec('one')))],
    ['17b7nhh2lhg', '12ys1ea83qi', '1okb85lvvzc'],
  );
});

drift('is drift of what a server made from the same document, and the tree otherwise', () => {
  const one = made('Stack', 'a', { runtime: '4.1' });
  const wanted = stack();
  assert.is(causeOfChange({ ...one, reconciled: markOf(wanted) }, wanted), 'drift');
  assert.is(causeOfChange({ ...one, reconciled: markOf(stack({ name: 'b' })) }, wanted), 'source');
  assert.is(causeOfChange(one, wanted), 'source');
});

drift('is drift of what has to go and no server made, once a server was there', async () => {
  const world = newWorld();
  const platform = made('Platform', 'platform', {}) as DeclaredResource;
  await put(world, platform);
  const [foreign, own] = [
    made('Stack', 'a', { runtime: '4' }),
    { ...made('Stack', 'b', { runtime: '4' }), reconciled: 'm' },
  ];
  const causes = () => [foreign, own].map((one) => causeOfDeletion(one, world.store.read()));
  assert.equal(causes(), ['source', 'source']);
  const change = updated(platform, { ...platform, reconciled: 'mark' } as DeclaredResource);
  await world.store.commit(() => ({ changes: [change] }), { id: 'served' });
  assert.equal(causes(), ['drift', 'source']);
});

drift('is drift of what has to be made again', () => {
  const wanted = stack();
  assert.is(causeOfCreation(wanted, {}), 'source');
  assert.is(causeOfCreation(wanted, { gone: () => false }), 'source');
  assert.is(causeOfCreation(wanted, { gone: (one) => one === wanted }), 'drift');
});

drift.run();
