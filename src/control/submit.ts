// The write door: every change of state goes through here, whoever wants it.
import type { AuditEvent } from '../core/audit/entry.ts';
import { withConsequences } from '../core/consequences/index.ts';
import type { Change } from '../core/model/change.ts';
import type { Finding } from '../core/model/finding.ts';
import type { Context, Proposal } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { cautions } from '../core/rules/cautions.ts';
import type { Facts } from '../core/rules/facts.ts';
import { check } from '../core/rules/index.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { type Receipt, Refused, type Store } from '../store/store.ts';
import { auditRecords, eventRecord } from './audit.ts';

/** What the door needs: where state is kept, and what rules may know of the world. */
export interface Door {
  readonly store: Store;
  readonly facts: () => Facts;
}

/** A proposal tried on a view: what it would change (with all that follows from that), how it would look, and what forbids it. */
export interface Tried {
  readonly changes: readonly Change[];
  readonly after: View;
  readonly violations: readonly Finding[];
  /** What may come of it although nothing forbids it. */
  readonly warnings: () => readonly Finding[];
}

/** Tries a proposal without keeping anything: the same path as `submit`, less its last step. */
export function evaluate(
  view: View,
  proposal: Proposal,
  context: Context,
  facts: Facts,
  consents: Consents = noConsents,
): Tried {
  const { changes, after } = withConsequences(view, proposal(view, context));
  const batch = { door: context.origin, changes, before: view, after, consents, facts };
  return { changes, after, violations: check(batch), warnings: () => [...cautions(batch)] };
}

/**
 * What goes along with a commit. `commitId`: the same twice is one write; `events` happened although nothing changed, and are audited: where that
 * depends on what changes, a pure function of it.
 */
export interface SubmitOptions {
  readonly commitId?: string;
  readonly events?: readonly AuditEvent[] | ((changes: readonly Change[]) => readonly AuditEvent[]);
}

/**
 * Keeps what a proposal wants, all or nothing, with an audit entry for each change. Resolves once it is durable.
 * Throws `Refused` with every violation, `NotKept` (safe to repeat) or `OutcomeUnknown` (repeat with the same `commitId`).
 */
export async function submit(
  { store, facts }: Door,
  proposal: Proposal,
  context: Context,
  { commitId, events = [] }: SubmitOptions = {},
): Promise<Receipt> {
  const transaction = (view: View) => {
    const { changes, after, violations } = evaluate(view, proposal, context, facts());
    if (violations.length > 0) throw new Refused(violations);
    const told = typeof events === 'function' ? events(changes) : events;
    const happened = told.map((event) => eventRecord(event, context));
    return { changes, records: [...happened, ...auditRecords(changes, { before: view, after }, context)] };
  };
  return store.commit(transaction, { id: commitId ?? context.newId() });
}
