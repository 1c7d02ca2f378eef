// Drift: a declared object that is not what its document wants, although the document is still what a server made it from.
import type { DeclaredResource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import type { Desired } from './desired.ts';

/** Why something is not as the tree wants it: the documents changed, or somebody else changed the state since a server applied them. */
export type Cause = 'source' | 'drift';

/** How a plan is made. */
export interface PlanMode {
  /** Whether it is the plan of a server, which remembers on each object what it made it from. */
  readonly serves?: boolean;
  /** Whether what drifted is left as it is, where the tree's Platform says `drift: report`. */
  readonly leavesDrift?: boolean;
  /** Whether the object of a document was deleted by others since a server applied that document. */
  readonly gone?: (wanted: Desired) => boolean;
}

/** What tells one document from another by what it wants. No more than a mark: it guards nothing, and hides nothing. */
export function markOf(desired: Desired): string {
  const known = marks.get(desired);
  if (known !== undefined) return known;
  const { name, previousNames, labels, lifecycle, spec } = desired;
  // Nothing is added where there are none, so that marks of earlier versions hold.
  const former = previousNames.length > 0 ? [previousNames] : [];
  const mark = hash(JSON.stringify([name, labels, lifecycle, spec, ...former]));
  marks.set(desired, mark);
  return mark;
}

// A memo of a pure function; it goes with what it is about.
const marks = new WeakMap<Desired, string>();

/** Why an object has to change that a document wants. */
export function causeOfChange({ reconciled }: DeclaredResource, wanted: Desired): Cause {
  return reconciled !== undefined && reconciled === markOf(wanted) ? 'drift' : 'source';
}

/** Why an object has to go: one that no server made came from somebody else, unless no server was ever there. */
export function causeOfDeletion({ reconciled }: DeclaredResource, view: View): Cause {
  return reconciled === undefined && singleton(view, 'Platform').reconciled !== undefined ? 'drift' : 'source';
}

/** Why an object has to be made. */
export function causeOfCreation(wanted: Desired, { gone }: PlanMode): Cause {
  return gone?.(wanted) ? 'drift' : 'source';
}

/** 53 bits, by cyrb53 (in the public domain): the core has no crypto, and needs none here. */
function hash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
