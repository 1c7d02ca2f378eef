// Whether the features of a team have an effect, and why not.
import type { z } from 'zod';
import {
  type FeatureName,
  type FeatureSwitches,
  featureNames,
  features,
  type Prerequisite,
  prerequisites,
} from './feature-catalogue.ts';
import { recordOf } from './kind.ts';
import type { platform } from './platform.ts';

export {
  type FeatureName,
  type FeatureSwitches,
  featureNames,
  featureSwitches,
  features,
} from './feature-catalogue.ts';

/** Why a declared feature has no effect; stable. */
export type FeatureReason = (typeof prerequisites)[Prerequisite]['reason'] | 'not-provided';

/** A feature of a team type in fact. `reason` and `message` are there where it is declared and has no effect. */
export interface EffectiveFeature {
  readonly declared: boolean;
  readonly effective: boolean;
  readonly reason?: FeatureReason;
  readonly message?: string;
}

/** The features that Weir delivers by itself, whatever the driver. What needs a driver stands in what that `provides`. */
export const ownFeatures: readonly FeatureName[] = ['deviceAutoSnapshot', 'deviceGroups'];

type PlatformSpec = z.output<typeof platform.spec>;

/**
 * What the switches of a team type do on a platform (specification 2.3). `provided` are the features that the drivers
 * and components of this program really deliver. A missing prerequisite is reported before `not-provided`.
 */
export function effectiveFeatures(
  switches: FeatureSwitches,
  platformSpec: PlatformSpec,
  provided: ReadonlySet<FeatureName>,
): Readonly<Record<FeatureName, EffectiveFeature>> {
  return recordOf(featureNames, (name) => effectiveFeature(name, switches, platformSpec, provided));
}

/** What one switch does; see `effectiveFeatures`. */
export function effectiveFeature(
  name: FeatureName,
  switches: FeatureSwitches,
  platformSpec: PlatformSpec,
  provided: ReadonlySet<FeatureName>,
): EffectiveFeature {
  if (!switches[name]) return { declared: false, effective: false };
  const lacking = features[name].needs.find((need) => !met[need](platformSpec, switches));
  if (lacking) {
    const { reason, missing, field } = prerequisites[lacking];
    return { declared: true, effective: false, reason, message: `${missing} (${field})` };
  }
  if (!provided.has(name)) {
    return {
      declared: true,
      effective: false,
      reason: 'not-provided',
      message: 'this version of Weir does not provide it',
    };
  }
  return { declared: true, effective: true };
}

const met: Readonly<Record<Prerequisite, (platform: PlatformSpec, switches: FeatureSwitches) => boolean>> = {
  email: (platform) => platform.email !== undefined,
  licence: (platform) => platform.licence === 'enterprise',
  vendorToken: (platform) => platform.vendorCatalogue?.token !== undefined,
  orchestrator: (platform) => platform.driver.kind === 'orchestrator',
  tables: (platform) => platform.tables?.url !== undefined,
  customHostnames: (platform) => platform.customHostnames?.domain !== undefined,
  ai: (platform) => platform.ai.enabled,
  aiFeatures: (_platform, switches) => switches.aiFeatures,
  assistantService: (platform) => platform.ai.assistantService?.url !== undefined,
};
