// Effective features: the whole truth table of prerequisites.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { effectiveFeatures, type FeatureName, featureNames, features } from '../../../src/core/kinds/features.ts';
import { kinds } from '../../../src/core/kinds/index.ts';

const everything = new Set(featureNames);
const allOn = Object.fromEntries(featureNames.map((name) => [name, true]));

const well = {
  licence: 'enterprise',
  driver: { kind: 'orchestrator' },
  email: {},
  ai: { enabled: true, assistantService: { url: 'https://ai.example.com' } },
  vendorCatalogue: { token: { fromEnv: 'WEIR_SECRET_VENDOR' } },
  tables: { url: 'postgres://db/tables' },
  customHostnames: { domain: 'example.com' },
};

function effective(platform: object, switches: object = allOn, provided: ReadonlySet<FeatureName> = everything) {
  const { features: decoded } = kinds.TeamType.spec.parse({ features: switches });
  return effectiveFeatures(decoded, kinds.Platform.spec.parse(platform), provided);
}

/** Feature → reason, for the declared ones without effect. */
function reasons(of: ReturnType<typeof effective>) {
  const lacking = Object.entries(of).filter(([, { declared, effective: works }]) => declared && !works);
  return Object.fromEntries(lacking.map(([name, { reason }]) => [name, reason]));
}

/** What each missing prerequisite takes away; `without` is the platform or the switches without it. */
const table: readonly { without: object; switches?: object; takes: Readonly<Record<string, string>> }[] = [
  { without: { email: undefined }, takes: { emailAlerts: 'needs-email' } },
  { without: { licence: 'community' }, takes: { certifiedNodes: 'needs-licence', exclusiveNodes: 'needs-licence' } },
  {
    without: { vendorCatalogue: undefined },
    takes: { certifiedNodes: 'needs-vendor-token', exclusiveNodes: 'needs-vendor-token' },
  },
  {
    without: { vendorCatalogue: {} },
    takes: { certifiedNodes: 'needs-vendor-token', exclusiveNodes: 'needs-vendor-token' },
  },
  {
    without: { driver: { kind: 'local' } },
    takes: { customHostnames: 'needs-orchestrator', highAvailability: 'needs-orchestrator' },
  },
  {
    without: { driver: { kind: 'container' } },
    takes: { customHostnames: 'needs-orchestrator', highAvailability: 'needs-orchestrator' },
  },
  { without: { tables: undefined }, takes: { tables: 'needs-tables' } },
  { without: { tables: {} }, takes: { tables: 'needs-tables' } },
  { without: { customHostnames: undefined }, takes: { customHostnames: 'needs-custom-hostnames' } },
  {
    without: { ai: { enabled: false, assistantService: { url: 'https://ai.example.com' } } },
    takes: {
      aiFeatures: 'needs-ai',
      assistantChat: 'needs-ai',
      assistantInsights: 'needs-ai',
      inlineCodeCompletion: 'needs-ai',
      generatedSnapshotDescriptions: 'needs-ai',
    },
  },
  {
    without: {},
    switches: { ...allOn, aiFeatures: false },
    takes: {
      assistantChat: 'needs-ai-features',
      assistantInsights: 'needs-ai-features',
      inlineCodeCompletion: 'needs-ai-features',
      generatedSnapshotDescriptions: 'needs-ai-features',
    },
  },
  {
    without: { ai: { enabled: true } },
    takes: {
      inlineCodeCompletion: 'needs-assistant-service',
      generatedSnapshotDescriptions: 'needs-assistant-service',
    },
  },
];

const works = suite('a feature');

works('has an effect when it is declared, provided, and lacks nothing', () => {
  const found = effective(well);
  assert.equal(reasons(found), {});
  for (const name of featureNames) assert.equal(found[name], { declared: true, effective: true }, name);
});

works('that is not declared has no effect and no reason', () => {
  const none = Object.fromEntries(featureNames.map((name) => [name, false]));
  for (const one of Object.values(effective(well, none))) assert.equal(one, { declared: false, effective: false });
});

for (const { without, switches, takes } of table)
  works(`lacks what it needs: ${JSON.stringify({ without, off: switches && 'aiFeatures' })}`, () => {
    assert.equal(reasons(effective({ ...well, ...without }, switches)), takes);
    assert.equal(reasons(effective({ ...well, ...without }, switches, new Set())), {
      ...Object.fromEntries(
        featureNames
          .filter((name) => switches === undefined || name !== 'aiFeatures')
          .map((name) => [name, 'not-provided']),
      ),
      ...takes,
    });
  });

works('that nothing provides says so, whatever it needs', () => {
  for (const name of featureNames) {
    const without = new Set(featureNames.filter((other) => other !== name));
    assert.equal(reasons(effective(well, allOn, without)), { [name]: 'not-provided' });
  }
});

works('lets the licence be missed before the token of the vendor', () => {
  const found = effective({}, { certifiedNodes: true });
  assert.is(found.certifiedNodes.reason, 'needs-licence');
  assert.match(found.certifiedNodes.message ?? '', 'Platform.spec.licence');
});

works('keeps private packages without the library', () => {
  assert.ok(effective({}, { npmPackages: true, teamLibrary: false }).npmPackages.effective);
});

works('is on by default only where one opts out', () => {
  const byDefault = featureNames.filter((name) => features[name].otherwise);
  assert.equal(byDefault, ['assistantChat', 'assistantInsights']);
});

works.run();
