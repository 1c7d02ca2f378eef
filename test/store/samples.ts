// Small resources, transactions and records for the tests of the store.
import { type Change, created, deleted, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import type { PositionedView, StoreRecord, Transaction } from '../../src/store/store.ts';

const at = '2026-01-01T00:00:00.000Z';

/** A stack; `label` is what tests alter. */
export function stackNamed(name: string, label = name): Resource<'Stack'> {
  const spec = { label, active: true, runtime: '4.0', resources: { memoryMb: 256 } };
  return { kind: 'Stack', id: `id-${name}`, name, spec, generation: 1, createdAt: at, updatedAt: at };
}

/** Makes stacks. */
export function creating(...names: readonly string[]): Transaction {
  return () => ({ changes: names.map((name) => created(stackNamed(name))) });
}

/** Makes a stack or gives it a label. */
export function labelling(name: string, label: string, records: readonly StoreRecord[] = []): Transaction {
  return (view) => ({ changes: [labelled(view, name, label)], records });
}

/** A device, whose credentials are kept with a secret. */
export function deviceNamed(name: string, credentialSecret: string): Resource<'Device'> {
  const spec = { team: 'id-team', type: 'sensor', credentialSecret } as unknown as Resource<'Device'>['spec'];
  return { kind: 'Device', id: `id-${name}`, name, spec, generation: 1, createdAt: at, updatedAt: at };
}

/** Deletes a stack. */
export function deleting(name: string): Transaction {
  return (view) => {
    const before = view.get('Stack', `id-${name}`);
    return { changes: before ? [deleted(before)] : [] };
  };
}

/** Adds one to the number that a stack's label holds: lost updates show. */
export function counting(name: string): Transaction {
  return (view) => {
    const before = view.get('Stack', `id-${name}`);
    return { changes: [labelled(view, name, String(Number(before?.spec.label ?? 0) + 1))] };
  };
}

/** A record of the history. */
export function historyRecord(id: string, body: StoreRecord['body'] = {}): StoreRecord {
  return { stream: 'history', id, at, body };
}

/** A record of the audit log. */
export function auditRecord(id: string, when = at): StoreRecord {
  return { stream: 'audit', id, at: when, body: { event: 'stack.updated' } };
}

/** `name=label` of each stack, `name=secret` of each device, in the order in which they were made. */
export function contentOf(view: Pick<PositionedView, 'all'>): string[] {
  return [
    ...[...view.all('Stack')].map(({ name, spec }) => `${name}=${spec.label}`),
    ...[...view.all('Device')].map(({ name, spec }) => `${name}=${spec.credentialSecret}`),
  ];
}

function labelled(view: PositionedView, name: string, label: string): Change {
  const before = view.get('Stack', `id-${name}`);
  return before ? updated(before, stackNamed(name, label)) : created(stackNamed(name, label));
}
