// The ways in which a reconcile ends without keeping anything, told apart by type.
import type { Finding } from '../core/model/finding.ts';
import { type Suspended, suspendedWords } from '../core/model/suspension.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';

/** There is no tree at the folder: not a tree, or not mounted. Never the same as an empty tree. */
export class TreeMissing extends Error {
  override readonly name = 'TreeMissing';
}

/** The reconciler is suspended: nothing is read or applied, whoever asks. */
export class ReconcilerSuspended extends Error {
  override readonly name = 'ReconcilerSuspended';
  constructor(suspended: Suspended) {
    super(`nothing can be applied, because the reconciler is ${suspendedWords(suspended)}; resume it first`);
  }
}

/** Whoever asked may not, or not any more; `cause` is what they are told. It says nothing of the tree. */
export class NotPermitted extends Error {
  override readonly name = 'NotPermitted';
  constructor(cause: unknown) {
    super('whoever asked for this may not', { cause });
  }
}

/** The tree itself is wrong, whatever the state. */
export class TreeInvalid extends Error {
  override readonly name = 'TreeInvalid';
  readonly findings: readonly Finding[];
  constructor(findings: readonly Finding[]) {
    super('the tree is not valid');
    this.findings = findings;
  }
}

/** A rule that needs the live state, a guard or protection said no. */
export class PlanBlocked extends Error {
  override readonly name = 'PlanBlocked';
  readonly plan: PlanDocument;
  constructor(plan: PlanDocument) {
    super('the plan is blocked');
    this.plan = plan;
  }
}

/** Nothing is in the way of the plan but that the caller consented to another number of deletions. */
export class ConsentMistaken extends PlanBlocked {
  readonly isOfCaller = true;
}

/** The tree is not the one that the caller has seen: both are digests. */
export class SourceMoved extends Error {
  override readonly name = 'SourceMoved';
  constructor(found: string, seen: string) {
    super(`the tree is ${found.slice(0, 12)} now, and not ${seen.slice(0, 12)}, of which the plan was made`);
  }
}

/** The state moved since the plan was made; `addresses` are those of a saved plan's objects that moved. */
export class BaseMoved extends Error {
  override readonly name = 'BaseMoved';
  readonly addresses: readonly string[];
  constructor(addresses: readonly string[] = []) {
    super(addresses.length > 0 ? `these objects changed since: ${addresses.join(', ')}` : 'the state changed since');
    this.addresses = addresses;
  }
}
