// Previous names that cannot be followed: they name an object that is there, and is not what the document means.
import type { Finding } from '../model/finding.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { previousNameWithoutEffect } from '../rules/former-names-advice.ts';
import { violation } from '../rules/rule.ts';
import type { Desired } from './desired.ts';
import { causeOfCreation, markOf, type PlanMode } from './drift.ts';

/**
 * Whether a resource has been through a previous name of its document: the document said it already when it was last applied, and may go on saying
 * so. What an older Weir applied does not know; there all of them count as followed.
 */
export function isSettled(resource: DeclaredResource, wanted: Desired, previous: string): boolean {
  const { previousNames, managedBy, reconciled } = resource;
  if (previousNames === undefined) return managedBy === 'config';
  // Whoever applied another tree behind the back of a server did not undo what its document had said.
  return previousNames.includes(previous) || (reconciled !== undefined && reconciled === markOf(wanted));
}

/** Objects by the addresses of the documents that mean them. */
type Meant = ReadonlyMap<string, DeclaredResource>;

/** The violations of a plan: previous names that are neither followed by it, nor were before, although something has them. */
export function* formerNameProblems(
  desired: ReadonlyMap<string, Desired>,
  meant: Meant,
  view: View,
  mode: PlanMode,
): Iterable<Finding> {
  for (const [address, wanted] of desired) {
    if (wanted.previousNames.length === 0) continue;
    const own = meant.get(address);
    // What others deleted is made anew: its document said all this before.
    if (own || causeOfCreation(wanted, mode) === 'source') yield* problemsOf(wanted, own, desired, view);
  }
}

function* problemsOf(
  wanted: Desired,
  own: DeclaredResource | undefined,
  desired: ReadonlyMap<string, Desired>,
  view: View,
): Iterable<Finding> {
  for (const [index, previous] of wanted.previousNames.entries()) {
    const other = previous === wanted.name ? undefined : view.named(wanted.kind, previous);
    if (!other || other.id === own?.id || (own && isSettled(own, wanted, previous))) continue;
    const what = `cannot have been ${previous}, because ${reasonFor(wanted, other, own, desired)}`;
    yield violation('duplicate-object', wanted, `/metadata/previousNames/${index}`, what);
  }
}

function reasonFor(
  wanted: Desired,
  other: DeclaredResource,
  own: DeclaredResource | undefined,
  desired: ReadonlyMap<string, Desired>,
): string {
  const holder = desired.get(addressOf(other));
  if (holder) {
    const { file, line } = holder.document.locate('/metadata/name', 'value');
    return `${file}:${line} still declares ${addressOf(other)}: take ${other.name} out of previousNames, or rename in a revision of its own`;
  }
  if (own && own.name !== wanted.name)
    return `it is ${addressOf(own)}, and ${addressOf(other)} is there too: take one of the two out of previousNames`;
  return `${addressOf(wanted)} and ${addressOf(other)} are both there: delete one of them in a revision of its own, or take ${other.name} out of previousNames`;
}

/** The findings of a tree without the warnings of what a plan refuses: there the state says more than the tree does. */
export function withoutRefused(findings: readonly Finding[], violations: readonly Finding[]): Finding[] {
  const placeOf = ({ kind, name, path }: Finding) => `${kind}/${name}${path}`;
  const refused = new Set(violations.filter(isUnfollowed).map(placeOf));
  return findings.filter((one) => one.rule !== previousNameWithoutEffect || !refused.has(placeOf(one)));
}

/** Whether a finding of a saved plan is such a problem: nothing but another tree solves it. */
export function isUnfollowed({ rule, severity, path }: Finding): boolean {
  return rule === 'duplicate-object' && severity === 'error' && path?.startsWith('/metadata/previousNames/') === true;
}
