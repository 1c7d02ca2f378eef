// The one transaction: propose, add what follows, lay it over the state, check it, record it. Whatever is planned, tried or kept comes from here.
import { consequenceSteps } from '../core/consequences/index.ts';
import type { Change, Following } from '../core/model/change.ts';
import type { Finding } from '../core/model/finding.ts';
import { overlay } from '../core/model/overlay.ts';
import { type AnyProposal, type AuditEvent, type Context, type Proposed, proposedBy } from '../core/model/proposal.ts';
import type { State } from '../core/model/state.ts';
import type { View } from '../core/model/view.ts';
import { cautions } from '../core/rules/cautions.ts';
import type { Facts } from '../core/rules/facts.ts';
import { check, checkSteps } from '../core/rules/index.ts';
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
  options: TransactOptions,
): Generator<void, Tried<R>, void> {
  const wanted = yield* proposal(before, context);
  const after = overlay(before);
  for (let at = 0; at < wanted.changes.length; at += pieceSize) {
    after.apply(wanted.changes.slice(at, at + pieceSize));
    if (wanted.changes.length > pieceSize) yield;
  }
  const laid = laidOver(wanted, before, after, yield* consequenceSteps(wanted.changes, before, after));
  const batch = batchOf(laid, context, options);
  const violations: Finding[] = [];
  for (const found of checkSteps(batch)) {
    for (const violation of found) violations.push(violation);
    yield;
  }
  return judged(wanted, laid, batch, violations);
}

const pieceSize = 64;

/** Tries a proposal in one go: what most writes come to is so little that to be able to stop would cost as much again. */
export function transact<R>(
  before: View,
  proposal: AnyProposal<R>,
  context: Context,
  options: TransactOptions,
): Tried<R> {
  const wanted = proposedBy(proposal, before, context);
  const after = overlay(before, wanted.changes);
  const laid = laidOver(wanted, before, after, inOneGo(consequenceSteps(wanted.changes, before, after)));
  const batch = batchOf(laid, context, options);
  return judged(wanted, laid, batch, check(batch));
}

/** The state as it would be: what was proposed, and what follows from that. */
type Laid = Pick<Tried, 'proposed' | 'consequences' | 'changes' | 'before' | 'after'>;

function laidOver(
  { changes: proposed }: Pick<Proposed<unknown>, 'changes'>,
  before: View,
  after: State,
  consequences: readonly Following[],
): Laid {
  const following = consequences.map(({ change }) => change);
  after.apply(following);
  const changes = following.length > 0 ? [...proposed, ...following] : proposed;
  return { proposed, consequences, changes, before, after };
}

function batchOf(
  { changes, before, after }: Laid,
  { origin }: Context,
  { facts, consents = noConsents, tree }: TransactOptions,
): Batch {
  return { door: origin, changes, before, after, consents, facts, ...(tree ? { tree } : {}) };
}

function judged<R>(
  { findings = [], events = [], result }: Proposed<R>,
  laid: Laid,
  batch: Batch,
  broken: readonly Finding[],
): Tried<R> {
  return { ...laid, violations: [...findings, ...broken], warnings: () => [...cautions(batch)], events, result };
}

/** What a commit of a proposal leaves in the audit log: what happened besides, then an entry for each change. */
export function recordsOf({ events, changes, before, after }: Tried<unknown>, context: Context): StoreRecord[] {
  const happened = events.map((event) => eventRecord(event, context));
  return [...happened, ...auditRecords(changes, { before, after }, context)];
}
