// The marks of fields, through whatever wraps them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type KindName, kindNames } from '../../../src/core/kinds/index.ts';
import { immutable, listBy, markOf, partsOf, ref, secret, setOf, textOrFile } from '../../../src/core/kinds/kind.ts';
import { type Field, fieldsOf } from '../../../src/core/schemas/fields.ts';

const marks = suite('marks');

marks('are seen through defaults, options and descriptions', () => {
  assert.equal(markOf(ref('Stack').optional().describe('x')), { ref: { kind: 'Stack', by: 'name' } });
  assert.equal(
    markOf(
      immutable(z.enum(['a', 'b']), 'instances exist')
        .default('a')
        .describe('x'),
    ),
    {
      immutable: { until: 'instances exist' },
    },
  );
  assert.equal(markOf(secret().optional().describe('x')), { secret: true, sealed: true });
  assert.equal(markOf(textOrFile(10).describe('x').optional()), { textFile: true });
});

marks('do not spread to other fields of the same type', () => {
  assert.equal(markOf(z.string()), {});
  assert.equal(markOf(z.enum(['a', 'b'])), {});
});

marks('tell sets from lists and named lists', () => {
  const shape = (schema: z.ZodType) => {
    const parts = partsOf(schema);
    return parts.type === 'list' ? { set: parts.set, namedBy: parts.namedBy } : parts.type;
  };
  assert.equal(shape(setOf(z.string()).default([]).describe('x')), { set: true, namedBy: undefined });
  assert.equal(shape(listBy('name', z.strictObject({ name: z.string() })).optional()), { set: false, namedBy: 'name' });
  assert.equal(shape(z.array(z.string())), { set: false, namedBy: undefined });
  assert.equal(shape(secret().optional()), 'leaf');
});

marks('stand where the nouns say', () => {
  const paths = (is: (field: Field) => unknown) =>
    kindNames.flatMap((kind: KindName) =>
      fieldsOf(kind)
        .filter(is)
        .map(({ path }) => `${kind}.${path.slice(5)}`),
    );
  assert.equal(
    paths(({ immutable: fixed }) => fixed),
    ['Platform.driver.kind', 'SsoConfig.provider'],
  );
  assert.equal(
    paths(({ secret: hidden }) => hidden),
    [
      'Platform.email.smtp.password',
      'Platform.ai.assistantService.token',
      'Platform.vendorCatalogue.token',
      'Platform.notifications[].secret',
      'Platform.auditTo[].secret',
      'Template.options.npmrc.value',
      'Template.options.httpAuth.value.password',
      'SsoConfig.ldap.password',
      'User.passwordHash',
      'Token.hash',
      'Session.hash',
      'ActionToken.hash',
      'Invitation.hash',
      'Instance.options.npmrc',
      'Instance.options.httpAuth.password',
      'Instance.credentialSecret',
      'Device.hash',
      'Device.credentialSecret',
      'ProvisioningToken.hash',
      'HttpToken.hash',
      'StatisticsToken.hash',
    ],
  );
  assert.equal(
    paths(({ ref: named }) => named),
    [
      'Stack.replaces',
      'InstanceType.defaultStack',
      'TeamType.instanceTypes[].name',
      'Token.user',
      'Session.user',
      'Session.sso',
      'ActionToken.user',
      'Team.type',
      'Membership.team',
      'Membership.user',
      'Invitation.team',
      'Invitation.inviter',
      'Invitation.user',
      'Instance.team',
      'Instance.instanceType',
      'Instance.template',
      'Instance.stack',
      'Instance.previousStack',
      'Device.team',
      'Device.group',
      'Device.targetSnapshot',
      'DeviceGroup.team',
      'DeviceGroup.targetSnapshot',
      'ProvisioningToken.team',
      'ProvisioningToken.group',
      'HttpToken.team',
      'HttpToken.instance',
      'Snapshot.team',
      'Snapshot.instance',
      'Snapshot.device',
    ],
  );
});

marks.run();
