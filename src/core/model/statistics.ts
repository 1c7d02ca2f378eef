// The key figures of the platform (specification 4.3): counts that indexes know, so that they cost the same at any size.
import { type DeviceConditionName, deviceConditionKey, deviceConditions } from '../kinds/device.ts';
import { type InstanceState, instanceStates, stateKey } from '../kinds/instance.ts';
import { activeAdmin, suspendedAdmin, suspendedUser } from '../kinds/user.ts';
import { countReferrers, type View } from './view.ts';

/**
 * Key figures. Admins are all who have the flag, suspended ones too, as they are among the users. Sessions, tokens and invitations that have
 * ended are counted until they are swept.
 */
export interface Statistics {
  readonly userCount: number;
  readonly adminCount: number;
  readonly suspendedUserCount: number;
  readonly sessionCount: number;
  readonly tokenCount: number;
  readonly invitationCount: number;
  readonly teamCount: number;
  /** By the name of the team type; a type without teams is there with 0. */
  readonly teamsByType: Readonly<Record<string, number>>;
  readonly instanceCount: number;
  /** Every state is there. */
  readonly instancesByState: Readonly<Record<InstanceState, number>>;
  readonly deviceCount: number;
  /** Every condition is there; a device may be in both. */
  readonly devicesByCondition: Readonly<Record<DeviceConditionName, number>>;
  readonly teamTypeCount: number;
  readonly instanceTypeCount: number;
  readonly stackCount: number;
  readonly templateCount: number;
  readonly ssoConfigCount: number;
}

/** The key figures of a view. What they cost grows with the number of team types alone. */
export function statisticsOf(view: View): Statistics {
  return {
    userCount: view.count('User'),
    adminCount: view.countHaving('User', activeAdmin) + view.countHaving('User', suspendedAdmin),
    suspendedUserCount: view.countHaving('User', suspendedUser),
    sessionCount: view.count('Session'),
    tokenCount: view.count('Token'),
    invitationCount: view.count('Invitation'),
    teamCount: view.count('Team'),
    teamsByType: teamsByType(view),
    instanceCount: view.count('Instance'),
    instancesByState: instancesByState(view),
    deviceCount: view.count('Device'),
    devicesByCondition: devicesByCondition(view),
    teamTypeCount: view.count('TeamType'),
    instanceTypeCount: view.count('InstanceType'),
    stackCount: view.count('Stack'),
    templateCount: view.count('Template'),
    ssoConfigCount: view.count('SsoConfig'),
  };
}

function teamsByType(view: View): Statistics['teamsByType'] {
  return Object.fromEntries([...view.all('TeamType')].map((type) => [type.name, countReferrers(view, 'Team', type)]));
}

function instancesByState(view: View): Statistics['instancesByState'] {
  const counts = instanceStates.map((state) => [state, view.countHaving('Instance', stateKey(state))] as const);
  return Object.fromEntries(counts) as Statistics['instancesByState'];
}

function devicesByCondition(view: View): Statistics['devicesByCondition'] {
  const counts = deviceConditions.map((name) => [name, view.countHaving('Device', deviceConditionKey(name))] as const);
  return Object.fromEntries(counts) as Statistics['devicesByCondition'];
}
