// What each rule and each warning is about and what to do, for formats that describe their rules.
import { advice } from '../../core/rules/advice.ts';
import { howToAdopt, howToAllowDeletes } from '../../core/rules/how-to-consent.ts';
import { rules } from '../../core/rules/index.ts';
import type { RuleId } from '../../core/rules/rule.ts';
import { ssoLockout } from '../../core/rules/sso-lockout.ts';
import { ssoMemberships, ssoTeam } from '../../core/rules/sso-teams.ts';
import { ssoTokens } from '../../core/rules/sso-tokens.ts';
import { suspendedOwner } from '../../core/rules/suspended-owner.ts';

/** A rule as a format describes it: `about` is what it refuses or warns of, `help` what to do, `why` what would happen else; all as sentences. */
export interface RuleHelp {
  readonly about: string;
  readonly help: string;
  readonly why?: string;
}

/** The help for a rule, a warning or anything else that a finding may be about. */
export function helpFor(id: string): RuleHelp {
  const found = abouts.get(id);
  const about = found ?? `The finding ${id}`;
  const why = whys[id];
  return {
    about: sentence(about),
    ...(why === undefined ? {} : { why }),
    help: helps[id as RuleId] ?? 'Do what the message says; "weir explain KIND" describes every field.',
  };
}

const abouts: ReadonlyMap<string, string> = new Map([
  ['syntax', 'Refuses what is not YAML as Weir reads it, and files that cannot be read'],
  ['schema', 'Refuses what is not of its kind: unknown kinds and fields, wrong types, secrets that are written out'],
  ['consequence', 'Notes what goes with the changes of a plan in the same commit'],
  ['sso-test', 'Something that keeps people from signing in through single sign-on'],
  [suspendedOwner, 'Warns of teams that nobody can run while a user is suspended'],
  [ssoTeam, 'Warns of groups that are to manage a team that does not exist'],
  [ssoMemberships, 'Warns of memberships that a single sign-on configuration will end'],
  [ssoTokens, 'Warns of access tokens that outlive the single sign-on of their owners'],
  [ssoLockout, 'Warns of single sign-on that could lock out those who administer the platform'],
  ...advice.map(({ id, warns }) => [id, `Warns of ${warns}`] as const),
  ...rules.map(({ id, refuses }) => [id, `Refuses ${refuses}`] as const),
]);

const helps: Readonly<Partial<Record<RuleId | (string & {}), string>>> = {
  consequence: 'Nothing is to be mended: look whether what ends or changes with the plan is meant to.',
  syntax: 'Mend the YAML where the finding stands: it is read as strict YAML 1.2.',
  schema: 'Write the field as "weir explain KIND.FIELD" describes it; the schemas in schemas/ let an editor check it.',
  'duplicate-object':
    'Keep one of the two documents, or give one of them another metadata.name; take out a previous name that is another object.',
  references: 'Declare what is named, correct the name, or first take away what still names it.',
  immutable: 'Put the old value back. What needs another value is a new object under another name.',
  'stack-in-use':
    'Leave runtime and resources of the stack alone, and declare a new stack that replaces it: instances are then offered the upgrade.',
  'stack-runtime':
    'Write the exact name of a directory in the stacks directory, and see that it is there: "weir stacks install VERSION" puts a version of Node-RED there.',
  'in-use': 'Move or delete what uses the object first, or switch it off with "active: false".',
  inactive: 'Choose one that is active, or make it active in its document.',
  'default-stack': 'Name one of the stacks of the type as defaultStack.',
  'stack-chain': 'Let each stack be replaced by one other stack at most, and none by itself.',
  'sso-domain-unique': 'Keep one configuration for each email domain.',
  'sso-complete': 'Fill in the values of the provider, or leave the configuration inactive.',
  'sso-licence': 'Set Platform.spec.licence to enterprise, or leave the configuration inactive.',
  'settings-need-email': 'Configure Platform.spec.email, or leave these settings off.',
  'price-needs-billing': 'Enable Platform.spec.billing, or take the price away.',
  'instance-type-not-enabled': 'List the instance type in the instanceTypes of the team type.',
  'limit-reached': 'Raise the limit of the team type, or free what is no longer needed.',
  'template-locked': 'Unlock the option in the template, or leave it out of the instance.',
  'reserved-variable': 'Leave the variable out or give it another name; where an option does the same, set that.',
  'environment-size': 'Shorten the variables, or put what they hold into a file that the flows read.',
  'feature-required': 'Switch the feature on in the team type and provide what it needs, or do without it.',
  'last-admin': 'Make somebody else an admin first.',
  'last-owner': 'Make another member an owner first.',
  'slug-unique': 'Choose another slug.',
  'username-unique': 'Choose another username.',
  'email-unique': 'Use another email address.',
  protected: 'Set lifecycle.protect to false in one revision, and delete the object in the next.',
  'protected-instance':
    'Have an owner of the team, or an admin, lift the protection of the instance, and protect it again afterwards.',
  'config-managed': 'Change the document that declares the object.',
  'needs-adopt': `Write the document as the object is ("weir export" prints it), or ${howToAdopt('KIND/NAME')}.`,
  'mass-delete': `See that every deletion is meant; ${howToAllowDeletes('N')}, where N is the number of deletions in the plan.`,
  'emptied-file': 'Delete the file where its objects are meant to go; else put its content back.',
  vanished: `See that the folder is mounted and the tree is whole; ${howToAllowDeletes('N')}, where N is the number of deletions in the plan.`,
  'overlay-without-base': 'Name the object as the tree does, or write in the overlay all that its kind requires.',
  'secret-missing': 'Set the variable, or put the file into the folder of secrets, where the server runs.',
  'feature-without-effect': 'Switch the feature off, or meet what it needs, as the message says.',
  'sso-certificate-ends':
    'Get the next certificate from the provider, and put it beside the old one until that is no longer used.',
  'sso-plain-http': 'Serve Weir over https, and set --base-url to that address.',
  'sso-plain-ldap': 'Set ldap.tls.mode to ldaps or startTls, and leave verifyServerCertificate on.',
  'sso-team': 'Correct the slug, make the team, or take the slug out of groups.teams.',
  'sso-memberships':
    'Name the teams in groups.teams, or switch groups.allowOtherTeams on, unless they are meant to end.',
  'sso-tokens': 'Set onDeactivation.tokens to revoke where the tokens are to end, too; else revoke single ones later.',
  'suspended-owner': 'Make another member of the team an owner.',
  'sso-lockout': 'Give an admin a local password, or keep an admin of another domain, before the configuration acts.',
  'previous-name-without-effect':
    'Take the name out of previousNames; where it is a rename that is still to come, let no other document declare the old name.',
  'driver-unavailable': 'Choose a driver that this version has, or do without starting instances.',
};

/** The ids of all rules and warnings, in the order in which they are told. */
export const ruleIds: readonly string[] = [...abouts.keys()];

const whys: Readonly<Partial<Record<RuleId | (string & {}), string>>> = {
  syntax: 'A file that is read wrongly would delete or change what it does not name.',
  schema: 'A misspelt field would silently have no effect, and a secret in a tree is a secret in its history.',
  consequence: 'Sessions and tokens end with some changes, and whoever reviews a plan should see whose.',
  'sso-test': 'Better found by an administrator now than by everybody at the next sign-in.',
  'duplicate-object': 'Only one of the two could be in force, and the order of files would decide which.',
  references: 'Instances and teams would depend on something that is not there.',
  immutable: 'What was made on the old value cannot follow: accounts, or instances that run.',
  'stack-in-use': 'Instances would come back from their next restart with another runtime, unasked.',
  'stack-runtime':
    'The local driver takes the runtime as the name of a directory; a path could lead out of the stacks directory.',
  'in-use': 'Teams and instances would be left without what they are made of.',
  inactive: 'What is switched off is being phased out: new uses would keep it alive.',
  'default-stack': 'Nobody could say which stack a new instance gets.',
  'stack-chain': 'An instance is offered one upgrade; a circle or a fork has no next version.',
  'sso-domain-unique': 'The domain of an address decides where somebody signs in; two answers are none.',
  'sso-complete': 'Everybody of the domain would be sent to a provider that cannot answer.',
  'sso-licence': 'Single sign-on is part of the enterprise licence.',
  'settings-need-email': 'These settings work by mails, and nobody would get any.',
  'price-needs-billing': 'A price that nobody charges misleads those who choose.',
  'instance-type-not-enabled': 'A team gets the instance types that its team type lists, and no others.',
  'limit-reached': 'The team type sets what a team may have.',
  'template-locked': 'A locked value is the one that the platform relies on.',
  'reserved-variable':
    'Whoever sets a variable could have the runtime load code, though they may not change its flows.',
  'environment-size': 'The system starts no process with more, so that the instance would not run any more.',
  'feature-required': 'What needs the feature would be accepted and then not work.',
  'last-admin': 'Nobody could administer the platform any more.',
  'last-owner': 'Nobody could administer the team any more.',
  'slug-unique': 'The slug stands in addresses and in names of groups, and must lead to one team.',
  'username-unique': 'People sign in by their username: it must name one of them.',
  'email-unique': 'People sign in and recover their account by their address: it must name one of them.',
  protected: 'Somebody said that this object is not to be deleted by accident.',
  'protected-instance': 'An owner said that what runs there is not to be changed by the way, or lost.',
  'config-managed': 'The next reconcile would undo the change.',
  'needs-adopt': 'Somebody made the object through the API, and a document would change it without their knowing.',
  'mass-delete':
    'So many deletions at once are more often a mistake, such as a wrong folder or branch, than an intention.',
  vanished:
    'A folder that is not mounted, and a tree of which a part is missing, look the same as one that was deleted.',
  'overlay-without-base':
    'A part of an object changes nothing by itself: most often the name is misspelt, or the object was renamed.',
  'emptied-file': 'A file that is empty may be one that is only half written.',
  'secret-missing': 'What needs the secret does not work until it is there.',
  'feature-without-effect': 'The switch promises something that people will not find.',
  'sso-certificate-ends': 'When the certificate ends nobody of the domain can sign in.',
  'sso-plain-http': 'Browsers keep back the cookie that a SAML login needs where the address is not https.',
  'sso-plain-ldap': 'Passwords could be read, or asked for by somebody else, on the way to the directory.',
  'sso-team': 'Groups place people by the slug of a team, and nobody would be placed.',
  'sso-memberships': 'People lose what they have in those teams without a word to them.',
  'sso-tokens': 'Nobody asks the provider any more whether those people may still do what their tokens can.',
  'suspended-owner': 'Nobody could administer the team until the user is let in again.',
  'sso-lockout': 'With the provider away or misconfigured, no admin could get in to mend it.',
  'previous-name-without-effect':
    'Whoever reads the document takes it for a rename, and nothing is renamed by it: the name is its own, or that of another object.',
  'driver-unavailable': 'Instances cannot be started by a driver that this version does not have.',
};

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
