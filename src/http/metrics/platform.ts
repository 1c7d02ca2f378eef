// Gauges of the platform: the figures of the statistics, with labels where the JSON has maps.
import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';
import { type Statistics, statisticsOf } from '../../core/model/statistics.ts';
import type { View } from '../../core/model/view.ts';

/** Registers them; answers the function that brings them up to date. */
export function platformGauges(registry: Registry<OpenMetricsContentType>): (view: View) => void {
  const registers = [registry];
  const plain = Object.entries(figures).map(
    ([key, { name, help }]) =>
      [key as keyof typeof figures, new Gauge({ name: `weir_${name}`, help, registers })] as const,
  );
  const teams = new Gauge({ name: 'weir_teams', help: 'Teams, by team type.', labelNames: ['type'], registers });
  const instances = new Gauge({
    name: 'weir_instances',
    help: 'Instances, by what they are doing.',
    labelNames: ['state'],
    registers,
  });
  const devices = new Gauge({
    name: 'weir_devices_with_condition',
    help: 'Devices, by what is wrong with them.',
    labelNames: ['condition'],
    registers,
  });
  return (view) => {
    const statistics = statisticsOf(view);
    for (const [key, gauge] of plain) gauge.set(statistics[key]);
    // Types come and go, and one that is gone has no teams to tell of.
    teams.reset();
    for (const [type, count] of Object.entries(statistics.teamsByType)) teams.set({ type }, count);
    for (const [state, count] of Object.entries(statistics.instancesByState)) instances.set({ state }, count);
    for (const [condition, count] of Object.entries(statistics.devicesByCondition)) devices.set({ condition }, count);
  };
}

type Plain = Exclude<
  keyof Statistics,
  'teamCount' | 'teamsByType' | 'instanceCount' | 'instancesByState' | 'devicesByCondition'
>;

const figures: Readonly<Record<Plain, { readonly name: string; readonly help: string }>> = {
  userCount: { name: 'users', help: 'Users, suspended ones too.' },
  adminCount: { name: 'admins', help: 'Users who have the admin flag, suspended ones too.' },
  suspendedUserCount: { name: 'suspended_users', help: 'Users who are shut out.' },
  sessionCount: { name: 'sessions', help: 'Sessions of signed-in users.' },
  tokenCount: { name: 'tokens', help: 'Access tokens of users.' },
  invitationCount: { name: 'invitations', help: 'Invitations that wait for an answer.' },
  deviceCount: { name: 'devices', help: 'Devices.' },
  teamTypeCount: { name: 'team_types', help: 'Team types.' },
  instanceTypeCount: { name: 'instance_types', help: 'Instance types.' },
  stackCount: { name: 'stacks', help: 'Stacks.' },
  templateCount: { name: 'templates', help: 'Templates.' },
  ssoConfigCount: { name: 'sso_configs', help: 'Single sign-on configurations.' },
};
