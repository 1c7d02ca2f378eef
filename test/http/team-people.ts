// A world for tests of teams over HTTP: several team types, email on, groups of an identity provider.
import { type Asked, type Credential, type ServerWorld, start, startWorld } from './world.ts';

/** The tree: `starter` allows six members; `roomy` anything; `gift` is for admins to give; `closed` is not on offer. */
export function teamsTree(settings: string, email = true): Readonly<Record<string, string>> {
  const mail = email ? '  email: {from: Weir <weir@example.com>}\n' : '';
  return {
    'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n${mail}  reconcile: {settleMs: 50, pollSeconds: 3600}\n  api: {rateLimit: {signInPerMinute: 0}}\n`,
    'settings.yaml': `kind: AdminSettings\nmetadata: {name: default}\nspec: {${settings}}\n`,
    'stacks.yaml':
      'kind: Stack\nmetadata: {name: nr-4}\nspec: {runtime: "4.1"}\n---\nkind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4]}\n---\nkind: Template\nmetadata: {name: standard}\n',
    'types.yaml':
      'kind: TeamType\nmetadata: {name: starter}\nspec: {limits: {members: 6}, instanceTypes: [{name: small, limit: 2}]}\n---\nkind: TeamType\nmetadata: {name: roomy}\n---\nkind: TeamType\nmetadata: {name: tiny}\nspec: {limits: {members: 1}}\n---\nkind: TeamType\nmetadata: {name: gift}\nspec: {selfService: false}\n---\nkind: TeamType\nmetadata: {name: closed}\nspec: {active: false}\n',
    'sso.yaml':
      'kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: corp.example\n  provider: saml\n  active: true\n  saml: {signOnUrl: "https://idp.corp.example/sso", issuer: "https://idp.corp.example", certificate: CERT}\n  groups: {manageRoles: true, scope: selected, teams: [core]}\n',
  };
}

/** A world of teams, where users may make teams and invite outsiders, unless the settings say otherwise. */
export function startTeams(settings = 'userTeamCreation: true, externalInvitations: true'): Promise<ServerWorld> {
  return startWorld(teamsTree(settings));
}

/** The time so many seconds after the world began. */
export const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
export const days = 86_400;

/** Makes a team; answers its id. */
export async function makeTeam(world: ServerWorld, as: Credential, body: object): Promise<Asked> {
  return world.ask('POST', '/api/v1/teams', { as, body });
}

/** The token in the link of the last mail. */
export function tokenIn({ mails }: ServerWorld): string {
  // Other mails, such as that a token was made, may have come after it.
  const found = mails.map(({ text }) => /\/account\/invitations\/([0-9A-Za-z]+)/.exec(text)?.[1] ?? '');
  return found.findLast((token) => token !== '') ?? '';
}

/** The codes of violations, in order. */
export function rulesIn({ body }: Asked): string[] {
  return (body.violations ?? []).map(({ rule }: { rule: string }) => rule);
}

/** The audit entries about teams and what is in them, the oldest first. */
export async function audited(world: ServerWorld, as: Credential = 'admin'): Promise<Asked['body'][]> {
  const { body } = await world.ask('GET', '/api/v1/admin/audit-log', { as });
  return body.auditEntries.toReversed();
}
