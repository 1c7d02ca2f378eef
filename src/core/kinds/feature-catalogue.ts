// The catalogue of features: the switches of a team type, what each does and what it needs.
import { z } from 'zod';
import { keysOf, recordOf } from './kind.ts';

/** What a feature may need: the field that gives it, the reason when it is missing, and that in words. */
export const prerequisites = {
  email: { field: 'Platform.spec.email', reason: 'needs-email', missing: 'email is off' },
  licence: {
    field: 'Platform.spec.licence: enterprise',
    reason: 'needs-licence',
    missing: 'the platform has no enterprise licence',
  },
  vendorToken: {
    field: 'Platform.spec.vendorCatalogue.token',
    reason: 'needs-vendor-token',
    missing: 'the platform has no token from the vendor',
  },
  orchestrator: {
    field: 'Platform.spec.driver.kind: orchestrator',
    reason: 'needs-orchestrator',
    missing: 'the driver is not the orchestrator',
  },
  tables: { field: 'Platform.spec.tables.url', reason: 'needs-tables', missing: 'no database server is declared' },
  customHostnames: {
    field: 'Platform.spec.customHostnames.domain',
    reason: 'needs-custom-hostnames',
    missing: 'no domain for custom hostnames is declared',
  },
  ai: { field: 'Platform.spec.ai.enabled', reason: 'needs-ai', missing: 'AI is off on the platform' },
  aiFeatures: { field: 'aiFeatures', reason: 'needs-ai-features', missing: 'aiFeatures is off for the team type' },
  assistantService: {
    field: 'Platform.spec.ai.assistantService.url',
    reason: 'needs-assistant-service',
    missing: 'no assistant service is declared',
  },
} as const;

/** The name of a prerequisite. */
export type Prerequisite = keyof typeof prerequisites;

interface Feature {
  /** What people call it. */
  readonly title: string;
  /** What it does, as part of a sentence about the teams that have it. */
  readonly effect: string;
  readonly otherwise: boolean;
  readonly needs: readonly Prerequisite[];
}

function feature(title: string, effect: string, ...needs: readonly Prerequisite[]): Feature {
  return { title, effect, otherwise: false, needs };
}

function optOut(title: string, effect: string, ...needs: readonly Prerequisite[]): Feature {
  return { title, effect, otherwise: true, needs };
}

/** The 28 features (specification 2.3). Prerequisites are in the order in which a missing one is reported. */
export const features = {
  teamLibrary: feature('Team Library', 'The team shares flow fragments and examples among its instances.'),
  projectNodes: feature('Project Nodes', 'Instances of the team pass messages to each other.'),
  customNpmCatalogs: feature(
    'Custom NPM Catalogs',
    'Registry settings and addresses of further catalogues are passed to instances and devices.',
  ),
  npmPackages: feature(
    'NPM Packages',
    'The team uploads and uses private node packages. Packaged subflows need teamLibrary as well.',
  ),
  certifiedNodes: feature(
    'Certified Nodes',
    'The team can use nodes certified by the vendor.',
    'licence',
    'vendorToken',
  ),
  exclusiveNodes: feature(
    'Exclusive Nodes',
    'The team can use nodes that only the vendor offers.',
    'licence',
    'vendorToken',
  ),
  emailAlerts: feature(
    'Email Alerts',
    'A mail is sent when an instance crashes or comes near the processor or memory limit of its stack.',
    'email',
  ),
  protectedInstances: feature(
    'Protected Instances',
    'An instance can be protected: its editor is closed, no snapshot is restored into it, and it is not deleted.',
  ),
  gitIntegration: feature('Git Integration', 'A Git repository can be the source or the output of a pipeline.'),
  apiDebugLengthLimits: feature(
    'API/Debug Length Limits',
    'The team can change the largest body that an instance accepts and the length at which debug messages are cut.',
  ),
  staticAssets: feature('Static Assets', 'Instances serve static files from lasting storage over HTTP.'),
  instanceResources: feature(
    'Instance Resources',
    'Charts show the past processor and memory use of instances and devices.',
  ),
  applicationRbac: feature('Application Level RBAC', 'Roles in the team can differ from application to application.'),
  teamEndpointSecurity: feature(
    'Team-based Endpoint Security',
    'HTTP endpoints and dashboards of instances can ask for an account that is a member of the team.',
  ),
  deviceGroups: feature(
    'Device Groups',
    'Devices can be grouped, and what a group is to run is said once for all of its devices.',
  ),
  deviceAutoSnapshot: feature(
    'Device Auto Snapshot',
    'Each deploy on a device in developer mode takes a snapshot; those of the last 10 deploys are kept.',
  ),
  instanceAutoSnapshot: feature(
    'Instance Auto Snapshot',
    'Each deploy on an instance takes a snapshot; those of the last 10 deploys are kept.',
  ),
  customHostnames: feature(
    'Custom Hostnames',
    'An instance can be reached under a second hostname of the team’s choice.',
    'orchestrator',
    'customHostnames',
  ),
  highAvailability: feature(
    'High Availability',
    'Two copies of an instance run, to share the load and to stand in for each other.',
    'orchestrator',
  ),
  billOfMaterials: feature(
    'Bill of Materials',
    'The team sees which nodes are installed, in which versions, and which newer ones there are.',
  ),
  versionHistoryTimeline: feature('Version History Timeline', 'A picture shows when snapshots were taken.'),
  teamBroker: feature('Team Broker', 'The team has an MQTT broker of its own, and its topics are documented.'),
  tables: feature('Tables', 'The team has a shared relational database.', 'tables'),
  aiFeatures: feature(
    'AI Features',
    'The team may use AI at all. While off, the other AI features have no effect whatever their own switches say.',
    'ai',
  ),
  assistantChat: optOut('Assistant chat', 'A chat assistant helps to build and debug flows.', 'ai', 'aiFeatures'),
  assistantInsights: optOut(
    'Assistant insights',
    'The assistant can ask for live data of instances through an MCP interface.',
    'ai',
    'aiFeatures',
  ),
  inlineCodeCompletion: feature(
    'Assistant inline code completion',
    'A language model helps to write function nodes.',
    'ai',
    'aiFeatures',
    'assistantService',
  ),
  generatedSnapshotDescriptions: feature(
    'Generated snapshot descriptions',
    'Descriptions of snapshots are written by a language model.',
    'ai',
    'aiFeatures',
    'assistantService',
  ),
} as const satisfies Record<string, Feature>;

/** The key of a feature in `TeamType.spec.features`. */
export type FeatureName = keyof typeof features;

/** The keys of all features, in the order of the specification. */
export const featureNames = keysOf(features);

/** The switches of a team type, made from the catalogue. */
export const featureSwitches = z.strictObject(
  recordOf(featureNames, (name) => z.boolean().default(features[name].otherwise).describe(described(name))),
);

/** The switches of a team type, as decoded. */
export type FeatureSwitches = z.output<typeof featureSwitches>;

function described(name: FeatureName): string {
  const needs = features[name].needs.map((need) => `\`${prerequisites[need].field}\``);
  return `${features[name].effect}${needs.length > 0 ? ` Needs ${needs.join(', ')}.` : ''}`;
}
