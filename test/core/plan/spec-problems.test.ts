// What is said of a wrong spec that was sent over the API: the words of its document, the place in the request, and no secret.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeclaredKindName } from '../../../src/core/kinds/index.ts';
import { kindOf } from '../../../src/core/kinds/index.ts';
import { maxFindings } from '../../../src/core/model/finding.ts';
import { specProblemsOf } from '../../../src/core/plan/spec-problems.ts';

function problems(kind: DeclaredKindName, written: unknown) {
  const parsed = kindOf(kind).spec.safeParse(written);
  const issues = (parsed.error?.issues ?? []).map((issue) => ({ ...issue, path: ['spec', ...issue.path] }));
  return specProblemsOf({ kind, name: 'a', written }, issues);
}

const said = suite('what is wrong with a spec that was sent');

said('is told in the words of a document, by its place in the request, without a file', () => {
  const found = problems('Stack', { runtime: 4, lable: 'x' });
  assert.equal(found.map(({ path }) => path).sort(), ['/spec/lable', '/spec/runtime']);
  for (const finding of found) assert.not('source' in finding, JSON.stringify(finding));
  const misspelt = found.find(({ path }) => path === '/spec/lable');
  assert.equal([misspelt?.rule, misspelt?.severity, misspelt?.suggestion], ['schema', 'error', 'label']);
  // In YAML it would be told how to write it as text; in JSON that is plain.
  assert.is(found.find(({ path }) => path === '/spec/runtime')?.message, 'Stack/a: runtime must be text, not a number');
});

said('tells of a field that stands a level too deep', () => {
  const [found, ...others] = problems('Stack', { runtime: '4.0', resources: { label: 'x' } });
  assert.equal(others, []);
  assert.match(found?.message ?? '', /resources has no field "label".*: it belongs beside resources/);
});

said('is told of an item that stands twice, once, beside what else is wrong', () => {
  const twice = { instanceTypes: [{ name: 'small' }, { name: 'small' }] };
  const place = '/spec/instanceTypes/1/name';
  assert.equal(
    problems('TeamType', twice).map(({ path }) => path),
    [place],
  );
  const both = problems('TeamType', { instanceTypes: [{ name: 'small', limit: 'x' }, { name: 'small' }] });
  assert.equal(both.map(({ path }) => path).sort(), ['/spec/instanceTypes/0/limit', place]);
});

said('shows nothing of a secret', () => {
  const ldap = { server: 'ldap:389', password: { value: 7_345_001 } };
  const found = problems('SsoConfig', { emailDomain: 'x.example', provider: 'ldap', ldap });
  assert.ok(found.length > 0);
  assert.not.match(JSON.stringify(found), '7345001');
  assert.ok(found.every(({ path }) => path?.startsWith('/spec/ldap/password')));
});

said('counts all that is wrong, and looks for no more than is shown', () => {
  const many = Array.from({ length: maxFindings + 50 }, () => ({ name: 7 }));
  const found = problems('TeamType', { instanceTypes: many });
  assert.is(found.length, maxFindings + 50);
  const twice = { name: 'small' };
  const inAll = problems('TeamType', { instanceTypes: [...many, twice, twice] });
  assert.is(inAll.length, maxFindings + 50);
});

said.run();
