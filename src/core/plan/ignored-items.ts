// What `lifecycle.ignore` names in a list goes by the name of what the item refers to, and follows it to a new name.
import { type DeclaredKindName, kindOf } from '../kinds/index.ts';
import { markOf, partsOf } from '../kinds/kind.ts';
import { fieldIn } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { pointer, stepsOf } from '../model/pointer.ts';
import type { Desired } from './desired.ts';
import { findingIn } from './finding-in.ts';

/**
 * The documents of a tree, in which pointers to an item of an old name (`/spec/instanceTypes/small/limit`, where `tiny` says that it was `small`) point to
 * that of the new one; and a warning for each, because that ends when the previous name is taken out.
 */
export function withItemsFollowed(desired: ReadonlyMap<string, Desired>): {
  readonly desired: ReadonlyMap<string, Desired>;
  readonly findings: readonly Finding[];
} {
  const called = newNamesIn(desired);
  const findings: Finding[] = [];
  if (called.size === 0) return { desired, findings };
  const followed = [...desired].map(([address, wanted]) => {
    const ignore = wanted.lifecycle.ignore.map((path) => followedPath(wanted.kind, path, called));
    const stale = ignore.flatMap((path, index) => (path === wanted.lifecycle.ignore[index] ? [] : [index]));
    if (stale.length === 0) return [address, wanted] as const;
    for (const index of stale) findings.push(staleItem(wanted, index, ignore[index] ?? ''));
    return [address, { ...wanted, lifecycle: { ...wanted.lifecycle, ignore: [...new Set(ignore)] } }] as const;
  });
  return findings.length > 0 ? { desired: new Map(followed), findings } : { desired, findings };
}

/** What objects are called now, by addresses that nothing declares any more. */
function newNamesIn(desired: ReadonlyMap<string, Desired>): ReadonlyMap<string, string> {
  const called = new Map<string, string>();
  for (const { kind, name, previousNames } of desired.values())
    for (const previous of previousNames)
      if (!desired.has(`${kind}/${previous}`)) called.set(`${kind}/${previous}`, name);
  return called;
}

function followedPath(kind: DeclaredKindName, path: string, called: ReadonlyMap<string, string>): string {
  let schema: Parameters<typeof partsOf>[0] | undefined = kindOf(kind).spec;
  const [root = '', ...steps] = stepsOf(path);
  const followed = steps.map((step) => {
    const parts = schema && partsOf(schema);
    if (parts?.type !== 'list' || !parts.namedBy) {
      schema = parts && fieldIn(parts, step);
      return step;
    }
    schema = parts.item;
    const key = fieldIn(partsOf(parts.item), parts.namedBy);
    const { ref } = key ? markOf(key) : {};
    return ref ? (called.get(`${ref.kind}/${step}`) ?? step) : step;
  });
  return pointer(root, ...followed);
}

function staleItem(wanted: Desired, index: number, path: string): Finding {
  const was = wanted.lifecycle.ignore[index];
  const what = `lifecycle.ignore[${index}] names ${was}, which is ${path} now: write the new name, because this holds only as long as its previous name is declared`;
  return {
    ...findingIn(wanted, ['lifecycle', 'ignore', index], 'value', what, path),
    rule: 'references',
    severity: 'warning',
  };
}
