// The write door: every change of state goes through here, whoever wants it.
import type { Change } from '../core/model/change.ts';
import type { Finding } from '../core/model/finding.ts';
import { overlay } from '../core/model/overlay.ts';
import type { Context, Proposal } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import type { Facts } from '../core/rules/facts.ts';
import { check } from '../core/rules/index.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { type Receipt, Refused, type Store, type StoreRecord } from '../store/store.ts';

/** What the door needs: where state is kept, and what rules may know of the world. */
export interface Door {
  readonly store: Store;
  readonly facts: () => Facts;
}

/** A proposal tried on a view: what it would change, how it would look, and what forbids it. */
export interface Tried {
  readonly changes: readonly Change[];
  readonly after: View;
  readonly violations: readonly Finding[];
}

/** Tries a proposal without keeping anything: the same path as `submit`, less its last step. */
export function evaluate(
  view: View,
  proposal: Proposal,
  context: Context,
  facts: Facts,
  consents: Consents = noConsents,
): Tried {
  const changes = proposal(view, context);
  const after = overlay(view, changes);
  const violations = check({ door: context.origin, changes, before: view, after, consents, facts });
  return { changes, after, violations };
}

/**
 * Keeps what a proposal wants, all or nothing. Resolves once it is durable.
 * Throws `Refused` with every violation, `NotKept` (safe to repeat) or `OutcomeUnknown` (repeat with the same `commitId`).
 */
export async function submit(
  { store, facts }: Door,
  proposal: Proposal,
  context: Context,
  options: {
    readonly commitId?: string;
    readonly records?: (changes: readonly Change[]) => readonly StoreRecord[];
  } = {},
): Promise<Receipt> {
  const transaction = (view: View) => {
    const { changes, violations } = evaluate(view, proposal, context, facts());
    if (violations.length > 0) throw new Refused(violations);
    return { changes, records: options.records?.(changes) ?? [] };
  };
  return store.commit(transaction, { id: options.commitId ?? context.newId() });
}
