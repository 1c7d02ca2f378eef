// Specs as leaves: what is the same, what differs, and the way back.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DeclaredKindName, kindOf } from '../../../src/core/kinds/index.ts';
import { differences, leavesOf, sameSpec, sameValue } from '../../../src/core/model/leaves.ts';
import { specFrom, withLeaves } from '../../../src/core/model/spec-from.ts';
import { anySpec } from './any-spec.ts';

const parse = (kind: DeclaredKindName, spec: object) => kindOf(kind).spec.parse(spec) as object;
const valuesOf = (kind: DeclaredKindName, spec: unknown) =>
  new Map([...leavesOf(kind, spec).values()].map(({ path, value }) => [path, value]));
const paths = (kind: DeclaredKindName, a: object, b: object) =>
  differences(leavesOf(kind, parse(kind, a)), leavesOf(kind, parse(kind, b))).map(({ path }) => path);

const leaves = suite('leaves');

leaves('name items of a named list by their name, and places by their index', () => {
  const spec = parse('TeamType', { instanceTypes: [{ name: 'small', limit: 2 }] });
  const leaf = leavesOf('TeamType', spec).get('/spec/instanceTypes/small/limit');
  assert.is(leaf?.pointer, '/spec/instanceTypes/0/limit');
  assert.is(leaf?.value, 2);
  assert.is(leaf?.itemKey, '/spec/instanceTypes/small/name');
});

leaves('do not differ where a field came with a later version, and is what it is by itself', () => {
  const { mode: _mode, ...reconcile } = (parse('Platform', {}) as { reconcile: Record<string, unknown> }).reconcile;
  const old = { ...parse('Platform', {}), reconcile };
  assert.ok(sameSpec('Platform', old, parse('Platform', {})));
  assert.ok(sameSpec('Platform', parse('Platform', {}), old));
  const manual = parse('Platform', { reconcile: { mode: 'manual' } });
  assert.equal(
    differences(leavesOf('Platform', old), leavesOf('Platform', manual)).map(({ path }) => path),
    ['/spec/reconcile/mode'],
  );
  const withMail = parse('Platform', { email: { from: 'weir@example.net', smtp: { host: 'mail' } } });
  assert.ok(!sameSpec('Platform', old, withMail), 'a section that came is another thing');
});

leaves('hold secrets and sets whole', () => {
  const spec = parse('Platform', { email: { smtp: { password: { fromEnv: 'WEIR_SECRET_A' } } }, exclude: ['b', 'a'] });
  const password = leavesOf('Platform', spec).get('/spec/email/smtp/password');
  assert.equal([password?.value, password?.secret], [{ fromEnv: 'WEIR_SECRET_A' }, true]);
  assert.equal(leavesOf('Platform', spec).get('/spec/exclude')?.value, ['b', 'a']);
});

leaves('know defaults, also those that are written out', () => {
  const all = leavesOf('Stack', parse('Stack', { runtime: '4', active: true, label: 'x' }));
  assert.equal(
    [...all.values()].filter(({ isDefault }) => isDefault).map(({ path }) => path),
    ['/spec/active'],
  );
});

leaves('do not take an empty list for a default that is not empty', () => {
  const spec = parse('Template', { options: { httpCors: { value: { methods: [] } } } });
  assert.not(leavesOf('Template', spec).get('/spec/options/httpCors/value/methods')?.isDefault);
  assert.ok(leavesOf('Template', spec).get('/spec/options/httpCors/value/origins')?.isDefault);
});

leaves('are there for sections and lists that hold nothing, where being there means something', () => {
  const value = (kind: DeclaredKindName, spec: object, path: string) =>
    leavesOf(kind, parse(kind, spec)).get(path)?.value;
  assert.equal(value('InstanceType', { price: {} }, '/spec/price'), {});
  assert.equal(value('Template', { options: { catalogues: { value: [] } } }, '/spec/options/catalogues/value'), []);
  assert.equal(
    value('Template', { options: { paletteModules: { value: [] } } }, '/spec/options/paletteModules/value'),
    [],
  );
  assert.is(value('InstanceType', { price: { id: 'x' } }, '/spec/price'), undefined);
});

leaves.run();

const same = suite('two specs');

same('are the same with sets and named lists in any order', () => {
  assert.equal(paths('InstanceType', { stacks: ['a', 'b'] }, { stacks: ['b', 'a'] }), []);
  const [small, large] = [{ name: 'small', limit: 1 }, { name: 'large' }];
  assert.equal(paths('TeamType', { instanceTypes: [small, large] }, { instanceTypes: [large, small] }), []);
});

same('differ by the order of a list that has one', () => {
  const list = (...value: string[]) => ({ options: { catalogues: { value } } });
  const [a, b] = ['https://a.example/c.json', 'https://b.example/c.json'];
  assert.equal(paths('Template', list(a, b), list(b, a)), ['/spec/options/catalogues/value']);
});

same('are the same with a default written out or left out', () => {
  fc.assert(
    fc.property(anySpec, ({ kind, spec }) => {
      const full = kindOf(kind).spec.parse(spec) as object;
      assert.ok(sameSpec(kind, full, kindOf(kind).spec.parse(full)));
    }),
  );
});

same('are the same for a configuration that a version without groups.missing wrote', () => {
  const now = kindOf('SsoConfig').spec.parse({ emailDomain: 'a.example', provider: 'saml' });
  const { groups, ...rest } = now as { readonly groups: { readonly missing?: string } };
  const { missing, ...before } = groups;
  assert.is(missing, 'keep');
  // As it is stored: nothing fills in what is not there.
  const between = (a: object, b: object) =>
    differences(leavesOf('SsoConfig', a), leavesOf('SsoConfig', b)).map(({ path }) => path);
  assert.equal(between({ ...rest, groups: before }, now), []);
  const removing = { ...rest, groups: { ...before, missing: 'remove' } };
  assert.equal(between({ ...rest, groups: before }, removing), ['/spec/groups/missing']);
});

same('differ in what one has and the other has not', () => {
  assert.equal(paths('Stack', { runtime: '4' }, { runtime: '4', resources: { memoryMb: 64 } }), [
    '/spec/resources/memoryMb',
  ]);
  assert.equal(paths('Platform', {}, { email: {} }), [
    '/spec/email/from',
    '/spec/email/smtp/host',
    '/spec/email/smtp/secure',
  ]);
  assert.equal(paths('Template', { options: { catalogues: {} } }, { options: { catalogues: { value: [] } } }), [
    '/spec/options/catalogues/value',
  ]);
});

same('compare by their own keys only', () => {
  assert.not(sameValue({}, { constructor: 'x' }));
  assert.not(sameValue({ toString: 'x' }, {}));
  assert.ok(sameValue({ constructor: 'x' }, { constructor: 'x' }));
  assert.ok(sameValue({ a: undefined }, {}));
  assert.not(sameValue([], {}));
  assert.not(sameValue(null, {}));
});

same.run();

const back = suite('a spec made of leaves');

back('is the spec that they came from', () => {
  fc.assert(
    fc.property(anySpec, ({ kind, spec }) => {
      const full = kindOf(kind).spec.parse(spec);
      assert.equal(specFrom(kind, valuesOf(kind, full)), full);
    }),
    { numRuns: 300 },
  );
});

back('does not depend on the order of its leaves', () => {
  fc.assert(
    fc.property(anySpec, fc.infiniteStream(fc.nat()), ({ kind, spec }, order) => {
      const full = kindOf(kind).spec.parse(spec);
      const shuffled = [...valuesOf(kind, full)]
        .map((entry) => [order.next().value as number, entry] as const)
        .sort(([a], [b]) => a - b)
        .map(([, entry]) => entry);
      assert.ok(sameSpec(kind, specFrom(kind, new Map(shuffled)), full));
    }),
  );
});

back('can have variables with any name', () => {
  const environment = ['__proto__', 'constructor', 'toString'].map((name) => ({ name, value: name, locked: true }));
  const spec = parse('Template', { environment });
  assert.equal(specFrom('Template', valuesOf('Template', spec)), spec);
});

back('refuses a path that is no field, and does not touch what all objects share', () => {
  for (const path of [
    '/spec/__proto__/polluted',
    '/spec/constructor/prototype/polluted',
    '/spec/lable',
    '/spec/label/x',
  ])
    assert.throws(
      () =>
        specFrom(
          'Stack',
          new Map([
            ['/spec/runtime', 'r'],
            [path, 'yes'],
          ]),
        ),
      /is not a field of Stack/,
    );
  assert.is(({} as Record<string, unknown>)['polluted'], undefined);
});

back('is made in time that grows with the number of its leaves', () => {
  const environment = Array.from({ length: 20_000 }, (_, index) => ({ name: `V${index}`, value: 'x', locked: false }));
  const spec = parse('Template', { environment });
  const start = process.cpuUsage().user;
  assert.is(
    (specFrom('Template', valuesOf('Template', spec)) as typeof spec & { environment: [] }).environment.length,
    20_000,
  );
  assert.ok(process.cpuUsage().user - start < 5_000_000);
});

back.run();

const taken = suite('fields left to the API');

taken('come from what is there, the others from the document', () => {
  const document = parse('Stack', { runtime: '5', label: 'from the tree' });
  const current = parse('Stack', { runtime: '4', label: 'by hand', resources: { memoryMb: 64 } });
  assert.equal(withLeaves('Stack', document, current, ['/spec/label']), {
    ...document,
    label: 'by hand',
  });
  assert.equal(withLeaves('Stack', document, current, ['/spec/resources']), {
    ...document,
    resources: { memoryMb: 64 },
  });
  assert.is(withLeaves('Stack', document, current, []), document);
});

taken('are not there where the API took them away', () => {
  const document = parse('Stack', { runtime: '5', resources: { memoryMb: 64 } });
  assert.equal(withLeaves('Stack', document, parse('Stack', { runtime: '5' }), ['/spec/resources/memoryMb']), {
    ...document,
    resources: {},
  });
});

taken('do not bring back an item that left its list', () => {
  const current = parse('TeamType', {
    instanceTypes: [
      { name: 'small', limit: 3 },
      { name: 'large', limit: 1 },
    ],
  });
  const document = parse('TeamType', { instanceTypes: [{ name: 'large', limit: 9 }] });
  const ignore = ['/spec/instanceTypes/small/limit', '/spec/instanceTypes/large/limit'];
  assert.equal(withLeaves('TeamType', document, current, ignore), {
    ...document,
    instanceTypes: [{ name: 'large', limit: 1 }],
  });
  assert.ok(sameSpec('TeamType', withLeaves('TeamType', document, current, ['/spec/instanceTypes']), current));
});

taken('of an item that is new are as the document has them, until somebody writes them', () => {
  const document = parse('TeamType', { instanceTypes: [{ name: 'large', limit: 9 }] });
  const ignore = ['/spec/instanceTypes/large/limit'];
  assert.equal(withLeaves('TeamType', document, parse('TeamType', {}), ignore), document);
  assert.equal(withLeaves('TeamType', document, parse('TeamType', { instanceTypes: [{ name: 'large' }] }), ignore), {
    ...document,
    instanceTypes: [{ name: 'large' }],
  });
});

taken('of a section that the document leaves empty are put into it', () => {
  const document = parse('InstanceType', { price: {} });
  const current = parse('InstanceType', { price: { id: 'p1' } });
  assert.equal(withLeaves('InstanceType', document, current, ['/spec/price/id']), current);
});

taken('are always a spec, whatever is ignored', () => {
  fc.assert(
    fc.property(anySpec, anySpec, fc.nat(), (a, b, pick) => {
      fc.pre(a.kind === b.kind);
      const [document, current] = [kindOf(a.kind).spec.parse(a.spec), kindOf(a.kind).spec.parse(b.spec)];
      const all = [...leavesOf(a.kind, document).keys(), ...leavesOf(a.kind, current).keys()];
      const ignore = all.filter((_, index) => (pick >> (index % 30)) & 1);
      const spec = withLeaves(a.kind, document, current, ignore);
      assert.ok(sameSpec(a.kind, withLeaves(a.kind, spec, current, ignore), spec), 'once is enough');
    }),
  );
});

taken.run();
