// What a driver is: that which runs instances somewhere.
import type { FeatureName } from '../core/kinds/features.ts';
import type { SpecOf } from '../core/kinds/index.ts';

/** A driver that this build of Weir has. */
export interface Driver {
  /** As `Platform.spec.driver.kind` names it. */
  readonly kind: SpecOf<'Platform'>['driver']['kind'];
  /** The features of team types that it really delivers. */
  readonly provides: ReadonlySet<FeatureName>;
}
