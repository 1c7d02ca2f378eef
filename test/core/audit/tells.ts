// Checks an audit entry against the change that it tells of.
import * as assert from 'uvu/assert';
import type { AuditEntry } from '../../../src/core/audit/entry.ts';
import { type Leaf, leavesOf, sameValue } from '../../../src/core/model/leaves.ts';
import { declaredPart, type Resource } from '../../../src/core/model/resource.ts';

/** What an entry says, done to what was before, gives what is; secrets aside. What is as nobody set it is left out of what comes or goes. */
export function assertTells(entry: AuditEntry, before: Resource | undefined, after: Resource | undefined): void {
  const [old, now] = [openLeaves(before), openLeaves(after)];
  const values = new Map([...old].map(([path, { value }]) => [path, value]));
  for (const { path, before: was, after: is } of entry.changes.filter(isOpen(before, after))) {
    assert.ok(sameMeaning(values.get(path) ?? null, was), `${path} was ${JSON.stringify(was)}`);
    if (is === null) values.delete(path);
    else values.set(path, is);
  }
  const isSilent = (leaf: Leaf | undefined) => leaf?.isDefault && !(before && after);
  for (const [path, leaf] of now)
    assert.ok(sameMeaning(values.get(path), leaf.value) || isSilent(leaf), `${path} is not told`);
  for (const path of values.keys()) assert.ok(now.has(path) || isSilent(old.get(path)), `${path} is left`);
}

/** Whether somebody changed it: not what the platform keeps up by itself, nor where its document stands. */
export function differs(before: Resource | undefined, after: Resource | undefined): boolean {
  return !before || !after || !sameValue(seen(before), seen(after));
}

function seen(resource: Resource): object {
  const { kind, spec, name } = resource;
  const leaves = [...leavesOf(kind, spec).values()].filter(({ bookkeeping }) => !bookkeeping);
  const { labels, lifecycle, managedBy } = declaredPart(resource) ?? {};
  const values = leaves.map(({ path, value, set }) => [path, set && Array.isArray(value) ? [...value].sort() : value]);
  return { name, labels, lifecycle, managedBy, values: Object.fromEntries(values) };
}

/** The leaves of a resource that an entry shows as they are. */
function openLeaves(resource: Resource | undefined): Map<string, Leaf> {
  const leaves = resource ? [...leavesOf(resource.kind, resource.spec)] : [];
  return new Map(leaves.filter(([, { secret, bookkeeping }]) => !secret && !bookkeeping));
}

function isOpen(...resources: readonly (Resource | undefined)[]) {
  const secrets = resources.flatMap((resource) =>
    resource ? [...leavesOf(resource.kind, resource.spec).values()].filter(({ secret }) => secret) : [],
  );
  const paths = new Set(secrets.map(({ path }) => path));
  return ({ path }: { readonly path: string }) => path.startsWith('/spec/') && !paths.has(path);
}

function sameMeaning(a: unknown, b: unknown): boolean {
  const ordered = (value: unknown) => (Array.isArray(value) ? value.map((item) => JSON.stringify(item)).sort() : value);
  return sameValue(ordered(a), ordered(b));
}
