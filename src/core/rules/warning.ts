// What a warning is, and what a piece of advice is that gives warnings.
import type { DeclaredKindName } from '../kinds/index.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type DeclaredResource, type Resource, type ResourceOf } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Facts } from './facts.ts';

/** One piece of advice about each resource of some kinds; its findings are warnings. */
export interface Advice {
  readonly id: string;
  readonly warns: string;
  readonly kinds: readonly DeclaredKindName[];
  readonly advise: (resource: DeclaredResource, view: View, facts: Facts) => Iterable<Finding>;
}

/** Defines a piece of advice about one kind, with its types. */
export function adviceFor<K extends DeclaredKindName>(
  kind: K,
  {
    id,
    warns,
    advise,
  }: Pick<Advice, 'id' | 'warns'> & {
    readonly advise: (resource: ResourceOf<K>, view: View, facts: Facts) => Iterable<Finding>;
  },
): Advice {
  const isOurs = (resource: Resource): resource is ResourceOf<K> => resource.kind === kind;
  return { id, warns, kinds: [kind], advise: (one, view, facts) => (isOurs(one) ? advise(one, view, facts) : []) };
}

/** A warning: `what` follows the address, as in `Stack/nr-4: instances on it cannot start, because …`. */
export function warning(rule: string, resource: Resource, path: string, what: string): Finding {
  const message = `${addressOf(resource)}: ${what}`;
  return { rule, severity: 'warning', message, kind: resource.kind, name: resource.name, path };
}
