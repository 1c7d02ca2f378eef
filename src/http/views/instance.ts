// How an instance looks in answers: what it is made from, what that comes to, and how it stands.
import { z } from 'zod';
import type { Caller } from '../../core/access/actor.ts';
import { actionsOn } from '../../core/access/policy.ts';
import { instanceUrl } from '../../core/instances/address.ts';
import { driverProblem, pendingSettings, upgradeOf } from '../../core/instances/around.ts';
import { effectiveEnvironment, effectiveOptions } from '../../core/instances/settings.ts';
import { endpointAccesses, instanceStates } from '../../core/kinds/instance.ts';
import { keysOf } from '../../core/kinds/kind.ts';
import { optionValues } from '../../core/kinds/template-options.ts';
import type { Resource } from '../../core/model/resource.ts';
import { singleton, type View } from '../../core/model/view.ts';
import { effectiveIn, type Facts } from '../../core/rules/facts.ts';
import { component } from '../json-schema.ts';
import { conditionView } from './config.ts';
import { shownValue } from './secrets.ts';
import { idView, instantView } from './values.ts';

const optionView = component(
  'EffectiveOption',
  z.strictObject({
    name: z.enum(keysOf(optionValues)).describe('The option.'),
    value: z.unknown().describe('Its value; null where nobody says one, and the runtime does what it does by itself.'),
    origin: z.enum(['template', 'instance', 'default']).describe('Who says so; `default` is nobody.'),
    locked: z.boolean().describe('Whether the template locks it.'),
  }),
);

const variableView = component(
  'EffectiveVariable',
  z.strictObject({
    name: z.string().describe('The name of the variable.'),
    value: z.string().describe('Its value.'),
    origin: z.enum(['template', 'instance']).describe('Who says so.'),
    locked: z.boolean().describe('Whether the template locks it.'),
  }),
);

const fields = {
  id: idView(),
  name: z.string().describe('The name that people read; not unique.'),
  team: z
    .strictObject({
      id: idView(),
      slug: z.string().describe('The slug of the team.'),
      name: z.string().describe('The name of the team.'),
    })
    .describe('The team whose instance it is.'),
  state: z.enum(instanceStates).describe('What it is doing.'),
  safeMode: z
    .boolean()
    .describe(
      'Whether it is in safe mode: its editor works, and its flows do not run. The condition `SafeMode` says why.',
    ),
  url: z.string().optional().describe('Where people reach it; only while it runs.'),
  protected: z.boolean().describe('Whether an owner has closed its editor to everybody.'),
  endpointAccess: z
    .enum(endpointAccesses)
    .describe('Who may use its endpoints and dashboards now: its team, or anyone who can reach it.'),
  instanceType: z.string().describe('The name of its type.'),
  template: z.string().describe('The name of its template.'),
  stack: z.string().describe('The name of its stack.'),
  upgrade: z
    .strictObject({ stack: z.string().describe('The name of the stack.') })
    .optional()
    .describe('The stack that replaces its own, where there is one: the action `upgrade-stack` moves it there.'),
  restartRequired: z
    .boolean()
    .describe('Whether it runs with other settings than it has now; the condition `RestartRequired` names them.'),
  options: z.array(optionView).describe('Every option, as it acts when the instance next starts.'),
  environment: z.array(variableView).describe('Its variables, as they act when it next starts.'),
  conditions: z
    .array(conditionView)
    .describe(
      'How it stands: Ready, RestartRequired, UpgradeFailed, RestoreFailed, DriverUnavailable, FlowsStopped, SafeMode, LogCut, SnapshotFailed.',
    ),
  createdAt: instantView('When it was made.'),
  updatedAt: instantView('When what is wanted of it last changed.'),
};

/** An instance in a list. */
export const instanceView = component('Instance', z.strictObject(fields));

/** An instance on its own. */
export const instanceDetailView = component(
  'InstanceDetail',
  z.strictObject({ ...fields, can: z.array(z.string()).describe('What the caller may do with it.') }),
);

/** What the view of an instance takes from the world. */
export type Known = Pick<Facts, 'drivers' | 'baseUrl'>;

/** An instance as answered in a list. */
export function shownInstance(instance: Resource<'Instance'>, view: View, known: Known): z.output<typeof instanceView> {
  const { id, name, spec, createdAt, updatedAt } = instance;
  const team = view.get('Team', spec.team);
  const template = view.get('Template', spec.template);
  const next = upgradeOf(view, instance);
  const pending = pendingSettings(view, instance);
  return {
    id,
    name,
    team: { id: spec.team, slug: team?.name ?? '', name: team?.spec.displayName ?? '' },
    state: spec.state,
    safeMode: spec.safeMode !== undefined,
    ...(spec.url !== undefined && spec.state === 'running' ? { url: publicUrl(id, spec.url, view, known) } : {}),
    protected: spec.protected === true,
    endpointAccess: accessOf(instance, view, known),
    instanceType: view.get('InstanceType', spec.instanceType)?.name ?? '',
    template: template?.name ?? '',
    stack: view.get('Stack', spec.stack)?.name ?? '',
    ...(next ? { upgrade: { stack: next.name } } : {}),
    restartRequired: pending.length > 0,
    options: effectiveOptions(template?.spec, spec).map(({ value, ...option }) => ({
      ...option,
      value: value === undefined ? null : shownValue(optionValues[option.name], value),
    })),
    environment: effectiveEnvironment(template?.spec, spec),
    conditions: [
      ...spec.conditions,
      ...restoringCondition(instance),
      ...pendingCondition(instance, pending, view),
      ...driverCondition(instance, view, known),
    ],
    createdAt,
    updatedAt,
  };
}

/** What acts: without the feature, endpoints are open whatever was chosen when there was one. */
function accessOf({ spec }: Resource<'Instance'>, view: View, known: Known): (typeof endpointAccesses)[number] {
  const type = view.get('TeamType', view.get('Team', spec.team)?.spec.type ?? '');
  const isSecured = type && effectiveIn(view, known, type.spec.features, 'teamEndpointSecurity').effective;
  return isSecured ? (spec.endpointAccess ?? 'team') : 'open';
}

/** Where people reach it through Weir; where nothing is reached through Weir, where it answers. */
function publicUrl(id: string, url: string, view: View, { baseUrl }: Known): string {
  return baseUrl === undefined ? url : instanceUrl({ baseUrl, platform: singleton(view, 'Platform').spec }, id);
}

/** An instance as answered on its own. */
export function shownInstanceDetail(
  instance: Resource<'Instance'>,
  caller: Caller,
  view: View,
  known: Known,
): z.output<typeof instanceDetailView> {
  const subject = { team: view.get('Team', instance.spec.team) };
  return { ...shownInstance(instance, view, known), can: actionsOn('instance', caller, view, subject) };
}

type Conditions = z.output<typeof conditionView>[];

/** As long as a restore goes on. Whatever changed it last was not before it began. */
function restoringCondition({ spec, updatedAt: lastTransitionTime }: Resource<'Instance'>): Conditions {
  if (!spec.restore) return [];
  const message = `the snapshot ${spec.restore.name} is being restored into it`;
  return [{ type: 'Restoring', status: 'True', reason: 'UnderWay', message, lastTransitionTime }];
}

/** Since when is known no better than that something it is made from last changed then. */
function pendingCondition(instance: Resource<'Instance'>, pending: readonly string[], view: View): Conditions {
  if (pending.length === 0) return [];
  const { template, stack } = instance.spec;
  const times = [instance, view.get('Template', template), view.get('Stack', stack)].map((one) => one?.updatedAt ?? '');
  const message = `it runs with other values than it has now: ${pending.join(', ')}; restart it`;
  const lastTransitionTime = times.toSorted().at(-1) ?? '';
  return [{ type: 'RestartRequired', status: 'True', reason: 'SettingsChanged', message, lastTransitionTime }];
}

function driverCondition({ createdAt }: Resource<'Instance'>, view: View, { drivers }: Known): Conditions {
  const problem = driverProblem(singleton(view, 'Platform').spec.driver, drivers);
  if (problem === undefined) return [];
  const message = `it cannot be started, because ${problem}`;
  return [{ type: 'DriverUnavailable', status: 'True', reason: 'NotProvided', message, lastTransitionTime: createdAt }];
}

/** What If-Match looks at: that it moves by itself, from starting to running, is no other version. */
export function instanceVersion({ id, generation }: Resource<'Instance'>): string {
  return `${id}.${generation}`;
}

/** An instance in an example. */
export const exampleInstance: z.output<typeof instanceView> = {
  id: '7KcR2vXq9LmT4bWz1NfY8d',
  name: 'Packing line 1',
  team: { id: 'Qm7Zt4XcR9vLk2Wd8HyB1s', slug: 'plant-one', name: 'Plant One' },
  state: 'running',
  safeMode: false,
  url: 'https://weir.example.com/i/7KcR2vXq9LmT4bWz1NfY8d/',
  protected: false,
  endpointAccess: 'open',
  instanceType: 'small',
  template: 'standard',
  stack: 'nr-4-1',
  upgrade: { stack: 'nr-5-0' },
  restartRequired: true,
  options: [
    { name: 'excludedNodes', value: '90-exec.js', origin: 'template', locked: true },
    { name: 'theme', value: 'dark', origin: 'instance', locked: false },
    { name: 'timeZone', value: null, origin: 'default', locked: false },
  ],
  environment: [{ name: 'SITE', value: 'main', origin: 'template', locked: true }],
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Running',
      message: 'it runs',
      lastTransitionTime: '2026-11-21T10:00:02.000Z',
    },
    {
      type: 'RestartRequired',
      status: 'True',
      reason: 'SettingsChanged',
      message: 'it runs with other values than it has now: theme; restart it',
      lastTransitionTime: '2026-11-21T10:05:00.000Z',
    },
  ],
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:05:00.000Z',
};
