// The names of groups: read, written, and stripped of what a directory puts around them.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GroupName, readGroupName, stripGroupName } from '../../../src/core/groups/group-name.ts';
import { roles } from '../../../src/core/kinds/roles.ts';

const reading = suite('reading a group name');

reading('takes what follows the last dash for the role, because slugs hold dashes', () => {
  assert.equal(readGroupName('svc-core-owner'), { slug: 'core', role: 'owner' });
  assert.equal(readGroupName('svc-my-team-3-dashboard'), { slug: 'my-team-3', role: 'dashboard' });
  assert.equal(readGroupName('svc-owner-member'), { slug: 'owner', role: 'member' });
  assert.equal(readGroupName('svc-svc-core-owner-viewer'), { slug: 'svc-core-owner', role: 'viewer' });
});

reading('knows no other form, and no other case', () => {
  for (const name of [
    '',
    'svc',
    'svc-owner',
    'svc--owner',
    'svc-core',
    'svc-core-',
    'svc-core-admin',
    'svc-core-owner-',
    'svc-core-Owner',
    'SVC-core-owner',
    'Svc-core-owner',
    ' svc-core-owner',
    'svc-core-owner ',
    'svc-core-owner\n',
    'xsvc-core-owner',
    'svc_core_owner',
    'svc-core-toString',
    'svc-core-__proto__',
  ])
    assert.is(readGroupName(name), undefined, JSON.stringify(name));
  assert.equal(readGroupName('svc-Core-owner'), { slug: 'Core', role: 'owner' }, 'the slug as it stands there');
});

/** As whoever runs the provider writes it. */
const groupNameOf = ({ slug, role }: GroupName) => `svc-${slug}-${role}`;

reading('gives back whatever was written', () => {
  const slug = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  fc.assert(
    fc.property(slug, fc.constantFrom(...roles), (of, role) => {
      assert.equal(readGroupName(groupNameOf({ slug: of, role })), { slug: of, role });
    }),
  );
});

reading('never throws, and answers roles alone', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const read = readGroupName(name);
      assert.ok(read === undefined || (roles.includes(read.role) && groupNameOf(read) === name));
    }),
  );
});

reading.run();

const stripping = suite('stripping a group name');

stripping('cuts so many characters from the front and from the end', () => {
  assert.is(stripGroupName('grp-test_svc-core-owner', 9, 0), 'svc-core-owner');
  assert.is(stripGroupName('svc-core-owner_grp', 0, 4), 'svc-core-owner');
  assert.is(stripGroupName('a-svc-core-owner-zz', 2, 3), 'svc-core-owner');
});

stripping('cuts nothing where both are 0', () => {
  assert.is(stripGroupName('svc-core-owner', 0, 0), 'svc-core-owner');
});

stripping('knows no name of which nothing is left', () => {
  assert.equal(
    [stripGroupName('abc', 3, 0), stripGroupName('abc', 0, 3), stripGroupName('abc', 2, 2), stripGroupName('', 0, 0)],
    [undefined, undefined, undefined, undefined],
  );
  assert.is(stripGroupName('abcd', 2, 1), 'c');
});

stripping('is the inverse of putting something around a name', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, text, (before, name, after) => {
      const whole = `${before}${name}${after}`;
      assert.is(stripGroupName(whole, before.length, after.length), name === '' ? undefined : name);
    }),
  );
});

stripping.run();
