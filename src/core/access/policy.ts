// The policy: one table that says who may do what. What is not in it, nobody may.
import type { Role } from '../kinds/roles.ts';
import { roleIn } from '../model/members.ts';
import type { Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import type { Caller } from './actor.ts';

/** Who may do something. A token gives what its user may do now; one of scope `plan` only what says `planTokens`. */
interface Access {
  /**
   * Roles: members of the team that it is done to who have one of them. Admins may do whatever somebody may, but for what devices do with a token of
   * their own, and machines with one that makes them devices.
   */
  readonly who: 'anyone' | 'user' | 'admin' | 'device' | 'machine' | readonly Role[];
  /** On what: whoever reads a team, an instance, a device or themselves is told what they may do with it. */
  readonly on?: 'user' | 'team' | 'instance' | 'device';
  readonly planTokens?: true;
  /** Also whoever holds the statistics token. */
  readonly statisticsToken?: true;
  /** Not by a token: a token must not make itself outlive its end. */
  readonly sessionOnly?: true;
  /**
   * What somebody who found a token keeps of what they do with it, once it has ended: `nothing`, or what, and why that may be. Whatever a token
   * may change says so here; what it may not although the rest may be done by it stands in `by-token.ts`.
   */
  readonly lasting?: string;
  /** Also whom it is done to. */
  readonly orSelf?: true;
  /** When anyone may. */
  readonly openWhile?: (view: View) => boolean;
  /** When any user may. */
  readonly usersWhile?: (view: View) => boolean;
  /** In half a sentence, for help and the description of the API. */
  readonly may: string;
}

const everyRole = ['owner', 'member', 'viewer', 'dashboard'] as const;
const insiders = ['owner', 'member', 'viewer'] as const;
const editors = ['owner', 'member'] as const;
const owners = ['owner'] as const;

/** Nobody gets in by it. */
const nothing = 'nothing';

const table = {
  probe: { who: 'anyone', may: 'ask whether the process lives and is ready' },
  'read-version': { who: 'anyone', may: 'read the version' },
  'read-security-contacts': { who: 'anyone', may: 'read how weaknesses are reported' },
  'describe-api': {
    who: 'user',
    planTokens: true,
    openWhile: (view) => singleton(view, 'Platform').spec.api.describePublicly,
    may: 'read what the API offers',
  },
  'read-config-status': { who: 'admin', planTokens: true, may: 'see which revision is applied and how it stands' },
  'plan-config': { who: 'admin', planTokens: true, may: 'see what a given tree would change', lasting: nothing },
  'plan-own-config': { who: 'admin', may: 'see what the server’s own tree would change' },
  'reconcile-config': { who: 'admin', may: 'have the server apply its own tree', lasting: nothing },
  'suspend-config': { who: 'admin', may: 'suspend and resume the reconciler', lasting: nothing },
  'read-config-history': { who: 'admin', may: 'see what was applied and refused' },
  'export-config': { who: 'admin', may: 'read all declared objects as documents' },
  'read-catalogue': { who: 'user', may: 'read team types, instance types, stacks and templates' },
  'write-catalogue': { who: 'admin', may: 'change team types, instance types, stacks and templates', lasting: nothing },
  'read-sso-configs': { who: 'admin', may: 'read single sign-on configurations', lasting: nothing },
  'write-sso-configs': {
    who: 'admin',
    may: 'change single sign-on configurations',
    lasting:
      'accounts of ordinary users; what lets admins in changes by a session, and admins are told of each that is put into force',
  },
  'read-settings': { who: 'admin', may: 'read the administration settings and what the platform is' },
  'write-settings': {
    who: 'admin',
    may: 'change the administration settings',
    lasting: 'an account of their own, where registration is switched on: it opens nothing that is somebody else’s',
  },

  'open-page': { who: 'anyone', may: 'open the pages of the account' },
  'sign-in': { who: 'anyone', may: 'sign in' },
  'sign-out': { who: 'anyone', may: 'sign out' },
  'see-ways-in': { who: 'anyone', may: 'ask how an address signs in, and whether visitors may register' },
  register: { who: 'anyone', may: 'register, where the settings or an invitation allow it' },
  'recover-account': { who: 'anyone', may: 'verify an address or set a new password by a link from a mail' },

  'read-self': { who: 'user', planTokens: true, may: 'read who they are' },
  'update-self': { who: 'user', on: 'user', may: 'change their own name and username', lasting: nothing },
  'change-address': { who: 'user', on: 'user', sessionOnly: true, may: 'change their own email address' },
  'delete-self': { who: 'user', on: 'user', sessionOnly: true, may: 'delete their own account' },
  'change-password': { who: 'user', on: 'user', sessionOnly: true, may: 'change their own password' },
  'read-own-tokens': { who: 'user', may: 'list their own tokens' },
  'create-token': { who: 'user', on: 'user', sessionOnly: true, may: 'make a token' },
  'delete-own-token': { who: 'user', may: 'revoke their own tokens', lasting: nothing },
  'read-own-sessions': { who: 'user', may: 'list their own sessions' },
  'end-own-session': { who: 'user', may: 'end their own sessions', lasting: nothing },
  'read-own-teams': { who: 'user', may: 'list the teams that they are in' },
  'read-own-invitations': { who: 'user', may: 'list the invitations to them' },
  'answer-invitation': { who: 'user', may: 'accept or decline an invitation to them', lasting: nothing },

  'create-team': {
    who: 'admin',
    on: 'user',
    usersWhile: (view) => singleton(view, 'AdminSettings').spec.userTeamCreation,
    may: 'make a team',
    lasting: nothing,
  },
  'read-team': { who: everyRole, on: 'team', may: 'read a team' },
  'update-team': { who: owners, on: 'team', may: 'change a team', lasting: nothing },
  'delete-team': { who: owners, on: 'team', may: 'delete a team', lasting: nothing },
  'read-members': { who: insiders, on: 'team', may: 'list the members of a team' },
  'change-member': {
    who: owners,
    on: 'team',
    may: 'change the role of a member; admins may add one, too',
    lasting: 'a place in a team under a name of its own, which its owners see and take away',
  },
  'remove-member': {
    who: owners,
    on: 'team',
    orSelf: true,
    may: 'take a member out of a team; everybody may leave',
    lasting: nothing,
  },
  'read-team-invitations': { who: owners, on: 'team', may: 'list the invitations to a team' },
  invite: {
    who: owners,
    on: 'team',
    may: 'invite somebody to a team, and withdraw that',
    lasting: 'a place in a team under a name of its own, which its owners see and take away',
  },
  'read-team-audit-log': { who: owners, on: 'team', may: 'read the audit log of a team' },

  'read-instances': { who: insiders, on: 'team', may: 'list the instances of a team' },
  'read-bill-of-materials': { who: insiders, on: 'team', may: 'read what is installed in the instances of a team' },
  'create-instance': {
    who: editors,
    on: 'team',
    may: 'make an instance',
    lasting: 'flows of the team, which its members see: they do not act for anybody',
  },
  'read-instance': { who: insiders, on: 'instance', may: 'read an instance' },
  'read-instance-logs': { who: insiders, on: 'instance', may: 'read what an instance logs' },
  'read-instance-resources': { who: insiders, on: 'instance', may: 'read what an instance used' },
  'read-instance-files': { who: insiders, on: 'instance', may: 'list the static files of an instance' },
  'write-instance-files': {
    who: editors,
    on: 'instance',
    may: 'write and delete the static files of an instance',
    lasting: nothing,
  },
  'update-instance': {
    who: editors,
    on: 'instance',
    may: 'change an instance',
    lasting: 'flows of the team, which its members see: they do not act for anybody',
  },
  'guard-instance': {
    who: owners,
    on: 'instance',
    may: 'say who may come in to an instance',
    lasting: 'endpoints of an instance that are open to others, which its team sees',
  },
  'manage-http-tokens': {
    who: editors,
    on: 'instance',
    may: 'list, make and revoke tokens for the endpoints of an instance',
    lasting: 'a token for endpoints of one instance, which ends with the one that made it at the latest',
  },
  'delete-instance': { who: owners, on: 'instance', may: 'delete an instance', lasting: nothing },
  'act-on-instance': {
    who: editors,
    on: 'instance',
    may: 'start, stop, restart, suspend and upgrade an instance',
    lasting: nothing,
  },
  'read-snapshots': { who: insiders, on: 'instance', may: 'list the snapshots of an instance' },
  'create-snapshot': { who: editors, on: 'instance', may: 'take a snapshot of an instance', lasting: nothing },
  'read-snapshot': { who: insiders, may: 'read a snapshot, and compare it' },
  'restore-snapshot': { who: editors, on: 'instance', may: 'restore a snapshot into an instance', lasting: nothing },
  'delete-snapshot': { who: editors, may: 'delete a snapshot', lasting: nothing },

  'read-devices': { who: insiders, on: 'team', may: 'list the devices and device groups of a team' },
  'create-device': {
    who: editors,
    on: 'team',
    may: 'make a device',
    lasting: 'the channel of one device, which the team sees and deletes',
  },
  'manage-provisioning-tokens': {
    who: editors,
    on: 'team',
    may: 'list, make and revoke provisioning tokens',
    lasting: 'a token that makes one device, which ends with the one that made it at the latest',
  },
  'manage-device-groups': { who: editors, on: 'team', may: 'make, change and delete device groups', lasting: nothing },
  'read-device': { who: insiders, on: 'device', may: 'read a device' },
  'update-device': { who: editors, on: 'device', may: 'change a device', lasting: nothing },
  'renew-device-token': {
    who: editors,
    on: 'device',
    may: 'give a device another token',
    lasting: 'the channel of one device, which the team sees and deletes',
  },
  'delete-device': { who: owners, on: 'device', may: 'delete a device', lasting: nothing },
  'register-device': { who: 'machine', may: 'register a device' },
  'follow-platform': { who: 'device', may: 'ask what a device should be, and say what it is' },

  'edit-flows': { who: editors, may: 'use the editor of an instance' },
  'view-flows': { who: insiders, may: 'look at the flows of an instance in its editor' },
  'use-endpoints': { who: everyRole, may: 'use endpoints and dashboards that are for the team' },

  'read-users': { who: 'admin', may: 'list users' },
  'create-user': {
    who: 'admin',
    may: 'add users',
    lasting:
      'an account without the admin flag: programs add people; the password, sessions and tokens of it end when single sign-on first proves whose the address is',
  },
  'update-user': {
    who: 'admin',
    may: 'change users',
    lasting:
      'the address of somebody who is no admin, with a reason in the audit log: the old address gets a link that takes it back',
  },
  'delete-user': { who: 'admin', may: 'delete users', lasting: nothing },
  'read-all-teams': { who: 'admin', may: 'list all teams' },
  'read-all-invitations': { who: 'admin', may: 'list all pending invitations' },
  'manage-tokens': { who: 'admin', may: 'list and revoke the tokens of all users', lasting: nothing },
  'read-statistics': { who: 'admin', statisticsToken: true, may: 'read the statistics' },
  'manage-statistics-token': {
    who: 'admin',
    may: 'make and revoke the statistics token',
    lasting: 'the statistics, which hold numbers: the token opens one route',
  },
  'read-audit-log': { who: 'admin', may: 'read the whole audit log' },
} as const satisfies Record<string, Access>;

/** Everything that can be done. Each route names one. */
export type Action = keyof typeof table;

/** Who may do what. */
export const policy: Readonly<Record<Action, Access>> = table;

/** What something is done to: a team (an instance or a device stands for its team), and the user there. */
export interface Subject {
  readonly team?: Resource<'Team'> | undefined;
  /** The id of the user. */
  readonly user?: string | undefined;
}

/**
 * What is said to a caller. `unauthorized`: sign in first; `forbidden`: signing in again would not help; `not_found`: there is no such team, or
 * none that the caller may know of.
 */
export type Decision = 'allowed' | 'unauthorized' | 'forbidden' | 'session_required' | 'not_found';

/** Whether a caller may do something to a subject. */
export function decide(action: Action, caller: Caller, view: View, subject: Subject = {}): Decision {
  const access = policy[action];
  if (access.who === 'anyone' || access.openWhile?.(view)) return 'allowed';
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (caller.kind === 'scraper') return access.statisticsToken ? 'allowed' : 'forbidden';
  if (caller.kind !== 'user') return access.who === caller.kind ? 'allowed' : 'forbidden';
  const narrow = caller.by === 'token' && caller.token.spec.scope === 'plan';
  if (narrow && !access.planTokens) return 'forbidden';
  const decision = decideForUser(access, caller.user, view, subject);
  return decision === 'allowed' && access.sessionOnly && caller.by !== 'session' ? 'session_required' : decision;
}

function decideForUser(access: Access, user: Resource<'User'>, view: View, { team, user: target }: Subject): Decision {
  const { who, usersWhile, orSelf } = access;
  if (who === 'device' || who === 'machine') return 'forbidden';
  if (typeof who === 'string')
    return who !== 'admin' || user.spec.admin || usersWhile?.(view) ? 'allowed' : 'forbidden';
  if (!team) return 'not_found';
  if (user.spec.admin) return 'allowed';
  const own = roleIn(view, team.id, user.id);
  if (own === undefined) return 'not_found';
  return who.includes(own) || (orSelf && target === user.id) ? 'allowed' : 'forbidden';
}

/** What a caller may do with something that they read: the actions of the table that are on it. */
export function actionsOn(on: NonNullable<Access['on']>, caller: Caller, view: View, subject?: Subject): Action[] {
  return (Object.keys(table) as Action[]).filter(
    (action) => policy[action].on === on && decide(action, caller, view, subject) === 'allowed',
  );
}
