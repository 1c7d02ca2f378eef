// Suspends the reconciler, and resumes it.
import { kinds } from '../kinds/index.ts';
import { created, deleted, updated } from '../model/change.ts';
import { printable } from '../model/printable.ts';
import type { Actor, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { suspensionName } from '../model/suspension.ts';

/** Suspends the reconciler. One that is suspended stays so; another reason replaces the one that it has. */
export function suspendReconciler({ reason }: { readonly reason?: string | undefined } = {}): Proposal {
  return (view, { now, newId, actor }) => {
    const current = view.named('Suspension', suspensionName);
    if (current && (reason === undefined || reason === current.spec.reason)) return [];
    const spec = kinds.Suspension.spec.parse({ by: nameOf(actor), ...(reason === undefined ? {} : { reason }) });
    if (current) return [updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now })];
    const times = { createdAt: now, updatedAt: now };
    const made: Resource = { kind: 'Suspension', id: newId(), name: suspensionName, spec, generation: 1, ...times };
    return [created(made)];
  };
}

/** Resumes the reconciler; nothing where it is not suspended. */
export const resumeReconciler: Proposal = (view) => {
  const current = view.named('Suspension', suspensionName);
  return current ? [deleted(current)] : [];
};

function nameOf({ name, id, kind }: Actor): string {
  return printable(name ?? id ?? kind).slice(0, 320);
}
