// How an object that documents can declare looks in answers: what it is, and how it stands.
import { z } from 'zod';
import { effectiveFeatures, featureNames } from '../../core/kinds/features.ts';
import { type DeclaredKindName, kindOf } from '../../core/kinds/index.ts';
import { recordOf } from '../../core/kinds/kind.ts';
import { addressOf, type DeclaredResource } from '../../core/model/resource.ts';
import { samlAddresses } from '../../core/model/saml-addresses.ts';
import { countReferrers, singleton, type View } from '../../core/model/view.ts';
import { providedIn } from '../../core/rules/facts.ts';
import { secretsOf } from '../../core/rules/secrets-of.ts';
import { component } from '../json-schema.ts';
import type { Services } from '../services.ts';
import { conditionView } from './config.ts';
import { placeView } from './finding.ts';
import { shownSchema, shownValue } from './secrets.ts';

const featureView = component(
  'EffectiveFeature',
  z.strictObject({
    declared: z.boolean().describe('Whether the type switches it on.'),
    effective: z.boolean().describe('Whether it acts.'),
    reason: z.string().optional().describe('Why it does not act although it is on; stable.'),
    message: z.string().optional().describe('The same, for people.'),
  }),
);

const statusFields = {
  managedBy: z
    .enum(['config', 'api', 'default'])
    .describe('Who keeps it: a document (config), the API, or nobody, because it was never set (default).'),
  source: placeView.optional().describe('Where its document stands.'),
  sources: z
    .record(z.string(), placeView)
    .describe('For each field that a file sets, by JSON pointer, where that stands.'),
  generation: z.int().min(0).describe('Counts the changes of what is wanted.'),
  observedGeneration: z.int().min(0).describe('The generation that the platform acts on.'),
  conditions: z.array(conditionView).describe('What keeps it from working fully.'),
  usage: z.record(z.string(), z.int().min(0)).describe('How much depends on it, by what.'),
};

const extraFields: Partial<Record<DeclaredKindName, z.ZodRawShape>> = {
  TeamType: {
    features: z
      .strictObject(recordOf(featureNames, (name) => featureView.describe(`The feature ${name}.`)))
      .describe('What the switches come to on this platform.'),
  },
  SsoConfig: {
    acsUrl: z.string().optional().describe('SAML: where the identity provider posts its responses.'),
    entityId: z.string().optional().describe('SAML: what Weir is called; the address of its metadata.'),
    metadataUrl: z.string().optional().describe('SAML: where the identity provider reads the metadata.'),
  },
};

/** The schema of an object of a kind as it is answered. */
export function declaredView(kind: DeclaredKindName): z.ZodType {
  const status = z.strictObject({ ...statusFields, ...extraFields[kind] }).describe('How it stands.');
  return component(
    kind,
    z.strictObject({
      kind: z.literal(kind).describe('The kind.'),
      name: z.string().describe('The name, unique within the kind.'),
      labels: z.record(z.string(), z.string()).describe('Free marks.'),
      lifecycle: z
        .strictObject({
          protect: z.boolean().describe('Whether it may not be deleted.'),
          onRemove: z.enum(['delete', 'orphan']).describe('What happens when its document leaves the tree.'),
          ignore: z.array(z.string()).describe('Fields that are left to the API.'),
        })
        .describe('How it may change and go.'),
      spec: shownSchema(kindOf(kind).spec),
      status,
    }),
  );
}

/** What an object is compared with by If-Match. */
export function versionOf({ id, generation }: DeclaredResource): string {
  return `${id}.${generation}`;
}

/** What the status of an object is made from, besides the state. */
export interface Around extends Pick<Services, 'baseUrl'> {
  readonly door: Pick<Services['door'], 'facts'>;
  readonly reconciler: Pick<Services['reconciler'], 'placesOf'>;
}

/** An object as it is answered. */
export function shownDeclared(resource: DeclaredResource, view: View, around: Around) {
  const { kind, name, labels, lifecycle, spec } = resource;
  const shown = { kind, name, labels, lifecycle, spec: shownValue(kindOf(kind).spec, spec) };
  return { ...shown, status: statusOf(resource, view, around) };
}

function statusOf(resource: DeclaredResource, view: View, around: Around) {
  const { managedBy, generation, source } = resource;
  const places = managedBy === 'config' ? around.reconciler.placesOf(addressOf(resource)) : undefined;
  return {
    managedBy: generation === 0 ? 'default' : managedBy,
    ...(source ? { source } : {}),
    sources: places?.fields ?? {},
    generation,
    observedGeneration: generation,
    conditions: [...conditionsOf(resource, around), ...notificationConditions(resource, view)],
    usage: usageOf(resource, view),
    ...extrasOf(resource, view, around),
  };
}

/** A condition says how it is now; since when is known no better than that the object is as it is. */
function conditionsOf(resource: DeclaredResource, { door }: Around): z.output<typeof conditionView>[] {
  const { secretProblem } = door.facts();
  const problems = secretsOf(resource).flatMap(({ secret }) => secretProblem?.(secret) ?? []);
  if (problems.length === 0) return [];
  const message = problems.join('; ');
  return [
    { type: 'SecretMissing', status: 'True', reason: 'SecretMissing', message, lastTransitionTime: resource.updatedAt },
  ];
}

/** How those who are to be told what became of the tree take it; where somebody is. */
function notificationConditions(resource: DeclaredResource, view: View): z.output<typeof conditionView>[] {
  if (!('notifications' in resource.spec) || resource.spec.notifications.length === 0) return [];
  const names = resource.spec.notifications.map(({ name }) => name);
  const standings = names.flatMap((name) => view.named('Receiver', name) ?? []);
  const bad = standings.filter(({ spec }) => spec.state !== 'well');
  const since = standings.map(({ spec }) => spec.since).toSorted();
  const type = 'NotificationsDelivered';
  if (standings.length === 0) {
    const message = 'nothing was told yet';
    return [{ type, status: 'Unknown', reason: 'NothingTold', message, lastTransitionTime: resource.updatedAt }];
  }
  if (bad.length === 0) {
    const message = 'whoever is to be told what became of the tree takes it';
    const lastTransitionTime = since.at(-1) ?? resource.updatedAt;
    return [{ type, status: 'True', reason: 'Delivered', message, lastTransitionTime }];
  }
  const message = bad.map(({ name, spec }) => `${name}: ${spec.reason}`).join('; ');
  const reason = bad.every(({ spec }) => spec.state === 'gone') ? 'Gone' : 'ReceiverFails';
  const lastTransitionTime = bad.map(({ spec }) => spec.since).toSorted()[0] ?? resource.updatedAt;
  return [{ type, status: 'False', reason, message, lastTransitionTime }];
}

function usageOf(resource: DeclaredResource, view: View): Readonly<Record<string, number>> {
  switch (resource.kind) {
    case 'InstanceType':
      return { stacks: stacksOf(resource), instances: countReferrers(view, 'Instance', resource) };
    case 'TeamType':
      return { teams: countReferrers(view, 'Team', resource) };
    case 'Stack':
    case 'Template':
      return { instances: countReferrers(view, 'Instance', resource) };
    default:
      return {};
  }
}

function stacksOf({ spec }: DeclaredResource): number {
  return 'stacks' in spec ? spec.stacks.length : 0;
}

function extrasOf(resource: DeclaredResource, view: View, { door, baseUrl }: Around): object {
  const { spec, kind } = resource;
  if (kind === 'TeamType' && 'features' in spec) {
    const platform = singleton(view, 'Platform').spec;
    const provided = providedIn(view, door.facts());
    return { features: effectiveFeatures(spec.features, platform, provided) };
  }
  if (kind !== 'SsoConfig' || !('provider' in spec) || spec.provider !== 'saml') return {};
  const { acsUrl, entityId } = samlAddresses(resource, baseUrl);
  return { acsUrl, entityId, metadataUrl: entityId };
}
