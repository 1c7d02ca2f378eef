// How the key figures of the platform look in answers, and the statistics token when it was made.
import { z } from 'zod';
import { deviceConditions } from '../../core/kinds/device.ts';
import { instanceStates } from '../../core/kinds/instance.ts';
import type { Statistics } from '../../core/model/statistics.ts';
import { component, describedAs } from '../json-schema.ts';
import { countView } from './values.ts';

/** The key figures. */
export const statisticsView = component(
  'Statistics',
  z.strictObject({
    userCount: countView('Users, suspended ones too.'),
    adminCount: countView('Users who have the admin flag, suspended ones too.'),
    suspendedUserCount: countView('Users who are shut out.'),
    sessionCount: countView('Sessions of signed-in users.'),
    tokenCount: countView('Access tokens of users.'),
    invitationCount: countView('Invitations that wait for an answer.'),
    teamCount: countView('Teams.'),
    teamsByType: z.record(z.string(), z.int().min(0)).describe('Teams by the name of their type; every type is there.'),
    instanceCount: countView('Instances.'),
    instancesByState: z
      .strictObject(
        Object.fromEntries(instanceStates.map((state) => [state, countView(`Instances that are ${state}.`)])),
      )
      .describe('Instances by what they are doing; every state is there.'),
    deviceCount: countView('Devices.'),
    devicesByCondition: z
      .strictObject(Object.fromEntries(deviceConditions.map((name) => [name, countView(`Devices with \`${name}\`.`)])))
      .describe('Devices by what is wrong with them; every condition is there, and a device may have both.'),
    teamTypeCount: countView('Team types.'),
    instanceTypeCount: countView('Instance types.'),
    stackCount: countView('Stacks.'),
    templateCount: countView('Templates.'),
    ssoConfigCount: countView('Single sign-on configurations.'),
  }),
);

/** The statistics token, this once. */
export const newStatisticsTokenView = component(
  'CreatedStatisticsToken',
  z.strictObject({ token: z.string().describe('The token itself, this once.') }),
);

/** Key figures in an example. */
export const exampleStatistics: Statistics = {
  userCount: 42,
  adminCount: 2,
  suspendedUserCount: 1,
  sessionCount: 17,
  tokenCount: 9,
  invitationCount: 3,
  teamCount: 5,
  teamsByType: { starter: 3, pro: 2 },
  instanceCount: 7,
  instancesByState: {
    creating: 0,
    starting: 0,
    running: 6,
    stopping: 0,
    stopped: 1,
    suspended: 0,
    restarting: 0,
    upgrading: 0,
    crashed: 0,
    deleting: 0,
  },
  deviceCount: 0,
  devicesByCondition: { UpdateFailed: 0, Cloned: 0 },
  teamTypeCount: 2,
  instanceTypeCount: 1,
  stackCount: 2,
  templateCount: 1,
  ssoConfigCount: 0,
};

/** The same and more as OpenMetrics text. */
export const expositionView = describedAs(z.string(), {
  type: 'string',
  description: 'OpenMetrics 1.0 text.',
  example: '# HELP weir_teams Teams, by team type.\n# TYPE weir_teams gauge\nweir_teams{type="starter"} 3\n# EOF\n',
});
