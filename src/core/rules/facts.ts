// What rules and warnings may know of the world, gathered beforehand by whoever asks: the core itself asks nobody.
import {
  type EffectiveFeature,
  effectiveFeature,
  type FeatureName,
  type FeatureSwitches,
  ownFeatures,
} from '../kinds/features.ts';
import type { Secret } from '../kinds/kind.ts';
import { singleton, type View } from '../model/view.ts';

/** The world as the caller found it. What is absent is not known here (offline), and nothing is said of it. */
export interface Facts {
  /** The drivers that this build of Weir has, by kind: the features that each really delivers, and `runner` where it can run instances. */
  readonly drivers: ReadonlyMap<string, { readonly provides: ReadonlySet<FeatureName>; readonly runner?: object }>;
  /** What is wrong with a text as one or several PEM certificates for verifying signatures; nothing where it is usable. */
  readonly certificateProblem: (text: string) => string | undefined;
  /** How many days are left to the last of the certificates in a text; less than 0 where it has ended, nothing where none can be read. */
  readonly certificateDaysLeft?: (text: string) => number | undefined;
  /** What is wrong with a text as an LDAP filter, in words that can follow a colon; nothing where it can be read. */
  readonly filterProblem?: (text: string) => string | undefined;
  /** Whether this system reads names of variables in any case of their letters, as Windows does. */
  readonly variablesInAnyCase?: boolean;
  /** The address under which people reach the server. */
  readonly baseUrl?: string;
  /**
   * The path, as people may type it, at which a stack's runtime should be in the stacks directory that the Platform names, where there is no
   * directory; nothing where there is one (where the state lives).
   */
  readonly stackMissing?: (stacksDirectory: string, runtime: string) => string | undefined;
  /** What a command that is to find this store needs: ` --store DIR`; nothing where it finds it by itself. */
  readonly storeFlag?: string;
  /** Why a secret cannot be resolved (where the state lives). */
  readonly secretProblem?: (secret: Secret) => string | undefined;
}

/** What one switch of a team type does on the platform as it is. */
export function effectiveIn(
  view: View,
  facts: Pick<Facts, 'drivers'>,
  switches: FeatureSwitches,
  feature: FeatureName,
): EffectiveFeature {
  return effectiveFeature(feature, switches, singleton(view, 'Platform').spec, providedIn(view, facts));
}

/** The features that are really delivered: by the driver that the platform has, and by Weir itself whatever the driver. */
export function providedIn(view: View, { drivers }: Pick<Facts, 'drivers'>): ReadonlySet<FeatureName> {
  const { kind } = singleton(view, 'Platform').spec.driver;
  return new Set([...ownFeatures, ...(drivers.get(kind)?.provides ?? [])]);
}
