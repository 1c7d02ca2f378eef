// Which fields each rule looks at, so that explain can tell.
import { rules } from '../core/rules/index.ts';
import type { RuleId } from '../core/rules/rule.ts';
import type { RuleNote } from '../core/schemas/explain.ts';

/** Rules that guard no field of a document are not here: they are about users and teams, or about a plan as a whole. */
const guards: Partial<Readonly<Record<RuleId, readonly string[]>>> = {
  references: [
    'InstanceType.spec.stacks',
    'InstanceType.spec.defaultStack',
    'TeamType.spec.instanceTypes',
    'Stack.spec.replaces',
  ],
  immutable: ['SsoConfig.spec.provider', 'Platform.spec.driver.kind'],
  'stack-in-use': ['Stack.spec.runtime', 'Stack.spec.resources'],
  'stack-runtime': ['Stack.spec.runtime', 'Platform.spec.driver.kind'],
  'in-use': ['TeamType.metadata.name', 'InstanceType.metadata.name', 'Template.metadata.name'],
  inactive: ['TeamType.spec.active', 'InstanceType.spec.active', 'Stack.spec.active', 'Template.spec.active'],
  'instance-type-not-enabled': ['TeamType.spec.instanceTypes'],
  'limit-reached': ['TeamType.spec.limits', 'TeamType.spec.instanceTypes.limit'],
  'reserved-variable': ['Template.spec.environment'],
  'environment-size': ['Template.spec.environment'],
  'template-locked': ['Template.spec.options', 'Template.spec.environment'],
  'feature-required': ['TeamType.spec.features'],
  'default-stack': ['InstanceType.spec.defaultStack', 'InstanceType.spec.stacks'],
  'stack-chain': ['Stack.spec.replaces'],
  'sso-domain-unique': ['SsoConfig.spec.emailDomain'],
  'sso-complete': [
    'SsoConfig.spec.active',
    'SsoConfig.spec.saml',
    'SsoConfig.spec.ldap',
    'SsoConfig.spec.groups.teams',
  ],
  'sso-licence': ['SsoConfig.spec.active', 'Platform.spec.licence'],
  'settings-need-email': [
    'AdminSettings.spec.registration',
    'AdminSettings.spec.passwordReset',
    'AdminSettings.spec.externalInvitations',
    'Platform.spec.email',
  ],
  'price-needs-billing': ['InstanceType.spec.price', 'Platform.spec.billing.enabled'],
  'mass-delete': ['Platform.spec.reconcile.maxDeletes'],
};

const writtenInstance = '(POST /api/v1/teams/{id}/instances, PUT /api/v1/instances/{id})';
const writtenDevice = '(PUT /api/v1/devices/{id})';

/** What rules look at that no document declares. */
const doors: Partial<Readonly<Record<RuleId, readonly string[]>>> = {
  'reserved-variable': [`Instance.environment ${writtenInstance}`, `Device.environment ${writtenDevice}`],
  'environment-size': [`Instance.environment ${writtenInstance}`, `Device.environment ${writtenDevice}`],
  'template-locked': [`Instance.options ${writtenInstance}`, `Instance.environment ${writtenInstance}`],
};

/** Every rule, with the fields that it guards. */
export const ruleNotes: readonly RuleNote[] = rules.map(({ id, refuses }) => ({
  id,
  refuses,
  guards: guards[id] ?? [],
  doors: doors[id] ?? [],
}));
