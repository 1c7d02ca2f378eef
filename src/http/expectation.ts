// What If-Match asks of a resource of run time, whose version is its id and its generation.
import type { Resource } from '../core/model/resource.ts';
import type { Target } from '../core/proposals/target.ts';
import { matchesVersion } from './etag.ts';
import type { Call } from './route.ts';

/** What If-Match looks at. */
export function resourceVersion({ id, generation }: Pick<Resource, 'id' | 'generation'>): string {
  return `${id}.${generation}`;
}

/** Whether the resource is still what the caller saw, asked when it is changed; nothing where the caller did not say what they saw. */
export function unmoved({ ifMatch }: Pick<Call, 'ifMatch'>): Pick<Target, 'expected'> {
  if (ifMatch === undefined) return {};
  return { expected: (current) => matchesVersion(ifMatch, resourceVersion(current)) };
}
