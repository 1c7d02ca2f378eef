// Who may have a turn that several share: what is checked as it begins, and again by the state that it is kept in.
import type { View } from '../core/model/view.ts';
import { NotPermitted } from './failures.ts';

type Permit = (view: View) => void;

/** Those who may not, and why. */
export function deniedOf<A extends { readonly permit?: Permit }>(view: View, all: readonly A[]): Map<A, NotPermitted> {
  const denied = new Map<A, NotPermitted>();
  for (const one of all) {
    const reason = reasonOf(view, one.permit);
    if (reason !== undefined) denied.set(one, new NotPermitted(reason));
  }
  return denied;
}

/** Throws what the first of them throws, where all of them throw. */
export function anyOf(permits: readonly Permit[]): Permit | undefined {
  if (permits.length === 0) return undefined;
  return (view) => {
    const reasons = permits.map((permit) => reasonOf(view, permit));
    if (!reasons.includes(undefined)) throw reasons[0];
  };
}

function reasonOf(view: View, permit: Permit | undefined): unknown {
  try {
    permit?.(view);
    return undefined;
  } catch (error) {
    return error;
  }
}
