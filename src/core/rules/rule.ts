// What a rule is: a pure look at a batch of changes, before and after, that names everything that cannot be.
import type { KindName } from '../kinds/index.ts';
import { type Change, changesOf } from '../model/change.ts';
import type { Finding, Source } from '../model/finding.ts';
import { printable } from '../model/printable.ts';
import type { Context } from '../model/proposal.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Facts } from './facts.ts';

/** The ids of rules are promised: they never change. */
export type RuleId =
  | 'syntax'
  | 'schema'
  | 'duplicate-object'
  | 'references'
  | 'immutable'
  | 'stack-in-use'
  | 'stack-runtime'
  | 'in-use'
  | 'inactive'
  | 'default-stack'
  | 'stack-chain'
  | 'sso-domain-unique'
  | 'sso-complete'
  | 'sso-licence'
  | 'settings-need-email'
  | 'price-needs-billing'
  | 'instance-type-not-enabled'
  | 'limit-reached'
  | 'template-locked'
  | 'reserved-variable'
  | 'environment-size'
  | 'feature-required'
  | 'last-admin'
  | 'last-owner'
  | 'slug-unique'
  | 'username-unique'
  | 'email-unique'
  | 'protected'
  | 'protected-instance'
  | 'config-managed'
  | 'needs-adopt'
  | 'mass-delete'
  | 'emptied-file'
  | 'vanished'
  | 'overlay-without-base';

/** What the reconciler alone knows of the tree that it stands for. */
export interface TreeFacts {
  /** Files that hold no document. */
  readonly emptyFiles: ReadonlySet<string>;
  /** Addresses that a document tries to declare, but wrongly, and names in files that could not be read: not reported as missing. A star stands for any kind, or any name. */
  readonly broken: ReadonlySet<string>;
  // Parts that could not be read, as address and JSON Pointer (with `/*` at its end: something below it): that they are missing says nothing.
  readonly partial: ReadonlySet<string>;
  /** Documents of the overlay that were merged over nothing. */
  readonly overlays?: readonly LooseOverlay[];
}

/** A document of an overlay whose object the tree does not declare. */
export interface LooseOverlay {
  readonly kind: KindName;
  readonly name: string;
  /** Pointers to the fields that its kind requires and it does not have. */
  readonly lacks: readonly string[];
  /** The name that was probably meant. */
  readonly meant?: string;
  /** Where its name stands. */
  readonly source: Source;
}

/** What the caller consents to. */
export interface Consents {
  /** The exact number of deletions. */
  readonly allowDeletes?: number;
  /** Addresses of resources made through the API that documents may take over. */
  readonly adopt: ReadonlySet<string>;
}

/** Consents to nothing beyond the guards. */
export const noConsents: Consents = { adopt: new Set() };

/**
 * What a rule looks at. `door`: `tree` checks a tree on its own, as if applied to nothing; `config` checks the reconciler's changes to
 * the live state; `run` what the run of a pipeline writes; `api` everybody else's.
 */
export interface Batch {
  readonly door: 'tree' | Context['origin'];
  readonly changes: readonly Change[];
  readonly before: View;
  readonly after: View;
  readonly consents: Consents;
  readonly facts: Facts;
  readonly tree?: TreeFacts;
}

/** One rule. Its violations are errors; positions are added by whoever knows the documents. */
export interface Rule {
  readonly id: RuleId;
  /** What it refuses, in half a sentence, for help and tables. */
  readonly refuses: string;
  readonly check: (batch: Batch) => Iterable<Finding>;
  /** The same for a rule that looks at many changes together, with nothing yielded now and then, so that it can be sliced. */
  readonly steps?: (batch: Batch) => Iterable<Finding | undefined>;
  /** Looks at each change for itself, so that a long batch can be shown to it in pieces. */
  readonly perChange?: true;
}

/** A violation: `what` follows the address, as in `Stack/nr-4: runtime cannot change, because …`. */
export function violation(
  rule: RuleId,
  resource: Pick<Resource, 'kind' | 'name'>,
  path: string,
  what: string,
  suggestion?: string,
): Finding {
  const found: Finding = {
    rule,
    severity: 'error',
    message: printable(`${addressOf(resource)}: ${what}`),
    kind: resource.kind,
    name: resource.name,
    path,
  };
  return suggestion === undefined ? found : { ...found, suggestion };
}

/** Whether a field of a resource could be read, with all that is in it: else nothing is said of what it lacks. */
export function isRead({ tree }: Batch, resource: Pick<Resource, 'kind' | 'name'>, path: string): boolean {
  if (!tree || tree.partial.size === 0) return true;
  const address = addressOf(resource);
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (tree.partial.has(address + path.slice(0, end))) return false;
  return !tree.partial.has(`${address}${path}/*`);
}

/** The changes that leave a resource of a kind behind (made or altered), with types. */
export function written<K extends KindName>(batch: Batch, kind: K): readonly Written<K>[] {
  const own = changesOf(batch.changes, kind);
  return own.length === 0 ? none : own.filter((change): change is Written<K> => change.after !== undefined);
}

/** The changes that delete a resource of a kind, with types. */
export function removed<K extends KindName>(batch: Batch, kind: K): readonly Removed<K>[] {
  const own = changesOf(batch.changes, kind);
  return own.length === 0 ? none : own.filter((change): change is Removed<K> => isRemoved(change));
}

// Nearly every rule asks after kinds that nobody wrote.
const none: readonly never[] = [];

function isRemoved({ before, after }: Change): boolean {
  return before !== undefined && after === undefined;
}

export type Written<K extends KindName> = Change<K> & { readonly after: NonNullable<Change<K>['after']> };
export type Removed<K extends KindName> = Change<K> & { readonly before: NonNullable<Change<K>['before']> };

/** A few of many, for people: `a, b, c and 4 more`. */
export function some(names: Iterable<string>, total: number, most = 3): string {
  const shown: string[] = [];
  for (const name of names) if (shown.push(name) >= most) break;
  return total > shown.length ? `${shown.join(', ')} and ${total - shown.length} more` : shown.join(', ');
}

/** `1 team`, `3 teams`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
