// feature-required: what a feature gives is had only where the type of the team has that feature, and it has an effect (specification 2.3).
import { type FeatureName, features } from '../kinds/features.ts';
import type { OptionName } from '../kinds/template-options.ts';
import type { Finding } from '../model/finding.ts';
import { sameValue } from '../model/leaves.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { effectiveIn, type Facts } from './facts.ts';
import { type Batch, type Rule, violation, type Written, written } from './rule.ts';

export const featureRequired: Rule = {
  id: 'feature-required',
  refuses:
    'what needs a feature that has no effect for the team: off in its type, not provided, or without what it needs',
  perChange: true,
  *check(batch) {
    for (const change of written(batch, 'Instance')) {
      yield* optionsOf(batch, change);
      yield* doorOf(batch, change);
    }
    yield* groupsOf(batch);
    for (const { before, after } of written(batch, 'Snapshot')) if (!before) yield* deployOf(batch, after);
  },
};

/** The options of an instance that are a team's to change only with a feature. From the template they act without it. */
const featureOfOption: Partial<Readonly<Record<OptionName, FeatureName>>> = {
  apiMaxLength: 'apiDebugLengthLimits',
  debugMaxLength: 'apiDebugLengthLimits',
  catalogues: 'customNpmCatalogs',
  npmrc: 'customNpmCatalogs',
};

/** What was there before the feature was switched off may stay, as it is; taking it away is always possible. */
function* optionsOf({ after: view, facts }: Batch, { before, after }: Written<'Instance'>): Iterable<Finding> {
  for (const [name, feature] of Object.entries(featureOfOption) as [OptionName, FeatureName][]) {
    const value = after.spec.options?.[name];
    if (value === undefined || sameValue(value, before?.spec.options?.[name])) continue;
    const use = { team: after.spec.team, feature, resource: after, path: `/options/${name}` };
    const lack = featureLack(view, facts, { ...use, what: `options.${name} cannot be set here` });
    if (lack) yield lack;
  }
}

/** Groups that are made or changed, and what gets into one. What is in one may stay, and leave. */
function* groupsOf(batch: Batch): Iterable<Finding> {
  const { after: view, facts } = batch;
  const lack = (resource: Resource<'DeviceGroup' | 'Device' | 'ProvisioningToken'>, path: string, what: string) =>
    featureLack(view, facts, { team: resource.spec.team, feature: 'deviceGroups', resource, path, what });
  for (const { before, after } of written(batch, 'DeviceGroup'))
    yield* some(lack(after, '', before ? 'cannot be changed' : 'cannot be made'));
  for (const kind of ['Device', 'ProvisioningToken'] as const)
    for (const { before, after } of written(batch, kind))
      if (after.spec.group !== undefined && after.spec.group !== before?.spec.group)
        yield* some(lack(after, '/group', 'cannot be in a group'));
}

/** What a device sends by itself, at a deploy. */
function* deployOf({ after: view, facts }: Batch, snapshot: Resource<'Snapshot'>): Iterable<Finding> {
  const { team, device, kind } = snapshot.spec;
  if (device === undefined || kind !== 'auto') return;
  const use = { team, feature: 'deviceAutoSnapshot', resource: snapshot, what: 'cannot be kept' } as const;
  yield* some(featureLack(view, facts, use));
}

function some(finding: Finding | undefined): readonly Finding[] {
  return finding ? [finding] : [];
}

/** Who may come in to an instance. That it is open to its team alone is so without a word. */
function* doorOf({ after: view, facts }: Batch, { before, after }: Written<'Instance'>): Iterable<Finding> {
  const { team, protected: isProtected, endpointAccess } = after.spec;
  const needed = [
    {
      feature: 'protectedInstances',
      path: '/protected',
      what: 'it cannot be protected',
      isNew: isProtected && !before?.spec.protected,
    },
    {
      feature: 'teamEndpointSecurity',
      path: '/endpointAccess',
      what: 'who may use its endpoints cannot be chosen',
      isNew: endpointAccess !== undefined && endpointAccess !== before?.spec.endpointAccess,
    },
  ] as const;
  for (const { isNew, ...use } of needed) {
    const lack = isNew ? featureLack(view, facts, { ...use, team, resource: after }) : undefined;
    if (lack) yield lack;
  }
}

/** Something that needs a feature: `what` cannot be without it, as half a sentence about `resource`. `team` is an id. */
export interface FeatureUse {
  readonly team: string;
  readonly feature: FeatureName;
  readonly resource: Pick<Resource, 'kind' | 'name'>;
  readonly path?: string;
  readonly what: string;
}

/** The violation of what needs a feature, where that has no effect for the team (a team that is gone has none); nothing where it has. */
export function featureLack(
  view: View,
  facts: Facts,
  { team: id, feature, resource, path = '', what }: FeatureUse,
): Finding | undefined {
  const team = view.get('Team', id);
  const type = team && view.get('TeamType', team.spec.type);
  if (!team || !type) return undefined;
  const { declared, effective, message } = effectiveIn(view, facts, type.spec.features, feature);
  if (effective) return undefined;
  const named = `${feature} (${features[feature].title})`;
  const why = declared
    ? `the feature ${named}, which ${addressOf(type)} switches on, has no effect while ${message}: an admin would have to provide for that`
    : `${addressOf(type)}, the type of ${addressOf(team)}, does not switch on the feature ${named}: have an admin switch it on, or choose another team type`;
  return violation('feature-required', resource, path, `${what}, because ${why}`);
}
