// The one transaction: propose, add what follows, lay it over the state, check it, record it. Whatever is planned, tried or kept comes from here.
import { consequenceSteps } from '../core/consequences/index.ts';
import type { Change, Following } from '../core/model/change.ts';
import type { Finding } from '../core/model/finding.ts';
import { overlay } from '../core/model/overlay.ts';
import { type AnyProposal, type AuditEvent, type Context, type Proposed, proposedBy } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { cautions } from '../core/rules/cautions.ts';
import type { Facts } from '../core/rules/facts.ts';
import { checkSteps } from '../core/rules/index.ts';
import { type Batch, type Consents, noConsents, type TreeFacts } from '../core/rules/rule.ts';
import { inOneGo } from '../lib/steps.ts';
import type { StoreRecord } from '../store/store.ts';
import { auditRecords, eventRecord } from './audit.ts';

/** What rules may know beside the state: of the world, of the caller's consents, and, for the reconciler, of the tree. */
export interface TransactOptions {
  readonly facts: Facts;
  readonly consents?: Consents;
  readonly tree?: TreeFacts;
}

/** A proposal tried on a view: what it would change, with all that follows from that, how it would look, and what forbids it. */
export interface Tried<R = undefined> {
  readonly proposed: readonly Change[];
  readonly consequences: readonly Following[];
  /** Both: what a commit keeps. */
  readonly changes: readonly Change[];
  readonly before: View;
  readonly after: View;
  readonly violations: readonly Finding[];
  /** What may come of it although nothing forbids it. */
  readonly warnings: () => readonly Finding[];
  readonly events: readonly AuditEvent[];
  readonly result: R;
}

/** A proposal that takes long, in steps. */
export type LongProposal<R> = (view: View, context: Context) => Generator<void, Proposed<R>, void>;

/** Tries a proposal in steps, so that a long one can be sliced. */
export function* transactSteps<R>(
  before: View,
  proposal: LongProposal<R>,
  context: Context,
  { facts, consents = noConsents, tree }: TransactOptions,
): Generator<void, Tried<R>, void> {
  const { changes: proposed, findings = [], events = [], result } = yield* proposal(before, context);
  const after = overlay(before);
  for (let at = 0; at < proposed.length; at += pieceSize) {
    after.apply(proposed.slice(at, at + pieceSize));
    if (proposed.length > pieceSize) yield;
  }
  const consequences = yield* consequenceSteps(proposed, before, after);
  const following = consequences.map(({ change }) => change);
  after.apply(following);
  const changes = following.length > 0 ? [...proposed, ...following] : proposed;
  const batch: Batch = { door: context.origin, changes, before, after, consents, facts, ...(tree ? { tree } : {}) };
  const violations = [...findings];
  for (const found of checkSteps(batch)) {
    for (const violation of found) violations.push(violation);
    yield;
  }
  const warnings = () => [...cautions(batch)];
  return { proposed, consequences, changes, before, after, violations, warnings, events, result };
}

const pieceSize = 64;

/** Tries a proposal in one go. */
export function transact<R>(
  view: View,
  proposal: AnyProposal<R>,
  context: Context,
  options: TransactOptions,
): Tried<R> {
  return inOneGo(transactSteps(view, inFull(proposal), context, options));
}

/** A short proposal as a long one. */
function inFull<R>(proposal: AnyProposal<R>): LongProposal<R> {
  // biome-ignore lint/correctness/useYield: there is nothing to slice.
  return function* (view, context) {
    return proposedBy(proposal, view, context);
  };
}

/** What a commit of a proposal leaves in the audit log: what happened besides, then an entry for each change. */
export function recordsOf({ events, changes, before, after }: Tried<unknown>, context: Context): StoreRecord[] {
  const happened = events.map((event) => eventRecord(event, context));
  return [...happened, ...auditRecords(changes, { before, after }, context)];
}
