// What a write is about: a resource of run time by its id, as the caller last saw it.
import type { KindName } from '../kinds/index.ts';
import { wordsOf } from '../kinds/words.ts';
import type { Resource, ResourceOf } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';

/** By its id; `expected`: whether what the caller last saw is still what is there. */
export interface Target {
  readonly id: string;
  readonly expected?: (current: Pick<Resource, 'id' | 'generation'>) => boolean;
}

/** The resource. Declines (`not_found`, also where it is not one that the caller may know of; `precondition_failed`). */
export function targetIn<K extends KindName>(
  view: View,
  kind: K,
  { id, expected }: Target,
  isTheirs: (found: ResourceOf<K>) => boolean = () => true,
): ResourceOf<K> {
  const found = view.get(kind, id);
  if (!found || !isTheirs(found)) throw new Declined('not_found', `there is no such ${wordsOf(kind)}`);
  if (expected && !expected(found))
    throw new Declined(
      'precondition_failed',
      `the ${wordsOf(kind)} changed since it was read: read it again, and decide anew`,
    );
  return found;
}
