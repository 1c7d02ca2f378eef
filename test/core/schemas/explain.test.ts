// What explain says, and that its examples are true.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { envelope } from '../../../src/core/kinds/envelope.ts';
import { declaredKindNames, kindOf } from '../../../src/core/kinds/index.ts';
import { explain, explainable } from '../../../src/core/schemas/explain.ts';
import { fieldsOf } from '../../../src/core/schemas/fields.ts';

const rules = [
  {
    id: 'stack-in-use',
    refuses: 'editing the runtime of a stack in use',
    guards: ['Stack.spec.runtime', 'Stack.spec.resources'],
  },
  { id: 'sso-licence', refuses: 'an active configuration without a licence', guards: ['SsoConfig.spec.active'] },
];

const field = suite('explain of a field');

field('says type, default, mutability, rules and an example', () => {
  assert.is(
    explain('Stack', 'spec.resources.memoryMb', { rules }),
    `Stack.spec.resources.memoryMb

  The memory that an instance may use, in MiB (32 to 1048576). Absent: no limit.

  type      whole number (32 to 1048576)
  default   absent
  changes   may change

rules
  stack-in-use: refuses editing the runtime of a stack in use

example
  spec:
    resources:
      memoryMb: 512
`,
  );
});

field('says what is required and what never changes', () => {
  const text = explain('SsoConfig', 'spec.provider') ?? '';
  assert.match(text, 'default   none: it is required');
  assert.match(text, 'changes   may not change\n');
  assert.match(explain('Platform', 'spec.driver.kind') ?? '', 'may not change while instances exist');
});

field('is found in the items of a list with and without brackets', () => {
  assert.is(explain('TeamType', 'spec.instanceTypes.limit'), explain('TeamType', 'spec.instanceTypes[].limit'));
  assert.match(explain('TeamType', 'spec.instanceTypes.name') ?? '', 'names     InstanceType');
});

field('says how a secret is written, and never shows the form of the store', () => {
  const text = explain('SsoConfig', 'spec.ldap.password') ?? '';
  assert.match(text, 'secret: {fromEnv} or {fromFile}');
  assert.not.match(text, '{value');
});

field('that does not exist has no text', () => {
  assert.is(explain('Stack', 'spec.label.x'), undefined);
  assert.is(explain('Stack', 'label'), undefined);
});

field.run();

const kind = suite('explain of a kind');

kind('lists its fields, its rules and a whole document', () => {
  const text = explain('Stack', undefined, { rules }) ?? '';
  assert.match(text, /^Stack\n\n {2}A version of the runtime/);
  assert.match(text, /\n {2}runtime +text +required +What runs: /);
  assert.match(text, /\n {2}active +true or false +true +Whether it can be chosen/);
  assert.match(text, /\n {2}resources +object +- +.*\n {4}memoryMb +whole number +- +The memory/, 'below its parent');
  assert.match(text, 'stack-in-use: refuses');
  assert.not.match(text, 'sso-licence');
  assert.match(text, '  kind: Stack\n');
});

kind('has of each description its first sentence, to its full stop, whatever stops are in a name', () => {
  const plain = (name: Parameters<typeof explain>[0]) => (explain(name) ?? '').replace(/\s+/g, ' ');
  assert.match(plain('Stack'), ' The memory that an instance may use, in MiB (32 to 1048576). cpuPercent ');
  assert.match(
    plain('Stack'),
    ' replaces name of a Stack - The stack of which this is a new version: its instances are ',
  );
  assert.match(plain('SsoConfig'), /like "?`?example\.com`?"?; kept in lower case, and in ASCII as DNS has it\. /);
});

kind('has a row a field, aligned, and at most 100 characters wide', () => {
  for (const name of declaredKindNames) {
    const [, list = ''] = /\nfields: name, type, default, description\n(.*?)\n\n/s.exec(explain(name) ?? '') ?? [];
    const lines = list.split('\n');
    for (const line of lines) assert.ok(line.length <= 100, `${name}: ${line}`);
    const [first = ''] = lines;
    const [, start = ''] = /^( *\S+ +)/.exec(first) ?? [];
    const rows = lines.filter((line) => line.slice(0, start.length).trim() !== '');
    assert.is(rows.length, fieldsOf(name).length, name);
    for (const line of lines) assert.is(line.slice(start.length - 2, start.length).trim(), '', `${name}: ${line}`);
    for (const line of rows) assert.match(line, /^ {2,}\S+ {2,}\S.* {2,}\S.* {2,}\S/, `${name}: four columns`);
  }
});

kind('says the one name of what there is one of', () => {
  assert.match((explain('AdminSettings') ?? '').replace(/\s+/g, ' '), 'There is one, called "default".');
});

kind.run();

const examples = suite('the examples');

examples('are documents that decode', () => {
  for (const name of declaredKindNames) {
    const document = parse(kindOf(name).example ?? '');
    assert.is(envelope.parse(document).kind, name);
    kindOf(name).spec.parse(document.spec);
  }
});

examples('show each field where it stands, with a value that it takes', () => {
  for (const name of declaredKindNames)
    for (const path of explainable(name)) {
      const [, shown = ''] = (explain(name, path) ?? '').split('\nexample\n');
      // What a file holds is drawn in before a document is decoded.
      const value = parse(shown.replace('{fromFile: certificate.pem}', 'text of the file'));
      assert.ok(at(value, path.split('.')) !== undefined || path.includes('.paletteModules.'), `${name} ${path}`);
      const { error } = envelope
        .extend({ spec: kindOf(name).spec })
        .partial()
        .safeParse(value);
      // An example of one field leaves out what its neighbours require.
      const wrong = (error?.issues ?? []).filter((issue) => at(value, issue.path) !== undefined);
      assert.equal(
        wrong,
        [],
        `${name} ${path}: let one of the samples of core/schemas/example.ts fit, or show it in the example`,
      );
    }
});

/** The value below a path; in a list that of its first item, where the path does not say which. */
function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((here, step) => {
    const holder = Array.isArray(here) && typeof step === 'string' ? here[0] : here;
    return (holder as Record<PropertyKey, unknown> | null | undefined)?.[step];
  }, value);
}

examples.run();
