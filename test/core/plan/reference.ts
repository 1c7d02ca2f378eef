// What reconciling and writing mean, said once more in the plainest way, over a small world: the model that the real thing is held against.

import { defaultLifecycle, type Lifecycle } from '../../../src/core/model/resource.ts';

/** An object. */
export interface Thing {
  readonly kind: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly lifecycle: Lifecycle;
  readonly managedBy: 'api' | 'config';
  readonly spec: Spec;
  /** The previous names that its document gave when it was last applied. */
  readonly former?: readonly string[];
}

export type Spec = Readonly<Record<string, unknown>>;

/** A document: everything is written out. */
export interface Wanted extends Omit<Thing, 'managedBy' | 'former'> {
  readonly previousNames: readonly string[];
}

/** All objects, by address. */
export type Model = ReadonlyMap<string, Thing>;

/** Consent to a number of deletions, and to all adoptions. */
export interface Consent {
  readonly deletes?: number;
  readonly adopts: boolean;
}

/** What came of it: the rules that refuse (then nothing changes), or the objects afterwards and what was counted. */
export interface Outcome {
  readonly refusedBy: ReadonlySet<string>;
  readonly after: Model;
  readonly counts: Readonly<Record<'create' | 'update' | 'delete' | 'rename' | 'adopt' | 'unchanged', number>>;
}

export const addressOf = ({ kind, name }: Pick<Thing, 'kind' | 'name'>) => `${kind}/${name}`;

/** A tree is applied. Guards are those of the platform as it was applied before. */
export function reconcile(model: Model, documents: readonly Wanted[], consent: Consent): Outcome {
  const meant = meanings(model, documents);
  const sheet: Sheet = {
    after: new Map(),
    counts: { ...nothing },
    refusedBy: new Set(contradicts(model, documents, meant) ? ['duplicate-object'] : []),
    renames: new Map(documents.flatMap((document) => renameOf(document, meant.get(addressOf(document))))),
    touched: new Set(),
  };
  for (const document of documents) want(sheet, document, meant.get(addressOf(document)), consent);
  const kept = new Set([...meant.values()].map(addressOf));
  const { prune = true, maxDeletes = { count: 10 } } = (model.get('Platform/platform')?.spec['reconcile'] ??
    {}) as Guards;
  for (const thing of model.values()) if (!kept.has(addressOf(thing))) leave(sheet, thing, prune);
  const { after, counts, refusedBy } = sheet;
  follow(sheet);
  const isMeant = consent.deletes === undefined ? counts.delete <= maxDeletes.count : consent.deletes === counts.delete;
  if (!isMeant) refusedBy.add('mass-delete');
  if (consent.deletes === undefined && vanishes(model, kept, after)) refusedBy.add('vanished');
  if (dangles(after)) refusedBy.add('references');
  return { refusedBy, after: refusedBy.size > 0 ? model : after, counts };
}

type Guards = { readonly prune?: boolean; readonly maxDeletes?: { readonly count: number } };

/** `renames`: old address → new name; `touched`: what is counted already. */
interface Sheet {
  readonly after: Map<string, Thing>;
  readonly counts: { -readonly [K in keyof Outcome['counts']]: number };
  readonly refusedBy: Set<string>;
  readonly renames: Map<string, string>;
  readonly touched: Set<string>;
}

function want(
  { after, counts, refusedBy, renames, touched }: Sheet,
  document: Wanted,
  old: Thing | undefined,
  consent: Consent,
): void {
  const { previousNames: former, ...rest } = document;
  const left = old && inNewNames(old.spec, renames);
  const now: Thing = { ...rest, managedBy: 'config', former, spec: withIgnored(document, left) };
  after.set(addressOf(now), now);
  if (old?.managedBy === 'api') counts.adopt += 1;
  const isSame = old && same({ ...old, managedBy: 'config' }, now);
  if (isSame && old.managedBy === 'config') counts.unchanged += 1;
  if (isSame) return;
  touched.add(addressOf(now));
  if (!old) counts.create += 1;
  else if (old.managedBy === 'config') counts[old.name === now.name ? 'update' : 'rename'] += 1;
  else if (!consent.adopts) refusedBy.add('needs-adopt');
}

function renameOf({ name }: Wanted, old: Thing | undefined): (readonly [string, string])[] {
  return old && old.name !== name ? [[addressOf(old), name]] : [];
}

/** No document means it. */
function leave({ after, counts, refusedBy, touched }: Sheet, thing: Thing, prunes: boolean): void {
  if (thing.managedBy === 'api') after.set(addressOf(thing), thing);
  else if (thing.lifecycle.onRemove === 'orphan' || !prunes) {
    after.set(addressOf(thing), { ...thing, managedBy: 'api', lifecycle: defaultLifecycle });
    counts.update += 1;
    touched.add(addressOf(thing));
  } else {
    counts.delete += 1;
    if (thing.lifecycle.protect) refusedBy.add('protected');
  }
}

/** Whether a kind that documents declared has none left: each kind stands in a folder of its own, so that goes, too. */
function vanishes(model: Model, kept: ReadonlySet<string>, after: Model): boolean {
  const gone = [...model.values()].filter((one) => one.managedBy === 'config' && !kept.has(addressOf(one)));
  const left = new Set([...after.values()].flatMap(({ kind, managedBy }) => (managedBy === 'config' ? [kind] : [])));
  return gone.some(({ kind }) => !left.has(kind));
}

/** Somebody writes over the API: `spec` is nothing where the object is to be deleted. */
export function write(model: Model, { kind, name }: Pick<Thing, 'kind' | 'name'>, spec: Spec | undefined): Outcome {
  const address = addressOf({ kind, name });
  const old = model.get(address);
  const after = new Map(model);
  const refusedBy = new Set<string>();
  if (spec)
    after.set(address, { ...(old ?? { kind, name, labels: {}, lifecycle: defaultLifecycle, managedBy: 'api' }), spec });
  else after.delete(address);
  if (old?.managedBy === 'config') {
    const now = after.get(address);
    const isLeft = now && same({ ...old, spec: without(old.spec, old) }, { ...now, spec: without(now.spec, old) });
    if (!isLeft) refusedBy.add('config-managed');
  }
  if (dangles(after)) refusedBy.add('references');
  return { refusedBy, after: refusedBy.size > 0 ? model : after, counts: nothing };
}

const nothing = { create: 0, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 0 };

/**
 * Which object each document means: the one of its name; or one of its earlier names, where nobody else means that, or whoever else does moved on in
 * the same way: to a name that nobody has, or round to where the line began. Of a circle some document has to say something new.
 */
function meanings(model: Model, documents: readonly Wanted[]): ReadonlyMap<string, Thing> {
  const byAddress = new Map(documents.map((document) => [addressOf(document), document]));
  const meant = new Map<string, Thing>();
  const line = (start: Wanted, document: Wanted, seen: readonly string[]): [Wanted, Thing][] | undefined => {
    for (const object of earlier(model, document)) {
      const rest = seen.includes(object.name) ? undefined : after(start, object, [...seen, object.name]);
      if (rest) return [[document, object], ...rest];
    }
    return undefined;
  };
  const after = (start: Wanted, object: Thing, seen: readonly string[]) => {
    const holder = byAddress.get(addressOf(object));
    const isCircle = model.has(addressOf(start));
    if (holder === undefined || holder === start) return isCircle === (holder === start) ? [] : undefined;
    return line(start, holder, seen);
  };
  for (const document of documents) {
    if (meant.has(addressOf(document))) continue;
    const moves = line(document, document, []) ?? [];
    const isNew = !model.has(addressOf(document)) || moves.some(([one]) => isFresh(model, one));
    if (isNew) for (const [one, object] of moves) meant.set(addressOf(one), object);
  }
  const taken = new Set(meant.values());
  for (const document of documents) {
    const object = model.get(addressOf(document));
    if (object && !meant.has(addressOf(document)) && !taken.has(object)) meant.set(addressOf(document), object);
  }
  return meant;
}

/** The objects that there are of a document's earlier names. */
function earlier(model: Model, { kind, name, previousNames }: Wanted): Thing[] {
  return previousNames.flatMap((previous) =>
    previous === name ? [] : (model.get(addressOf({ kind, name: previous })) ?? []),
  );
}

function isFresh(model: Model, document: Wanted): boolean {
  const { former = [] } = model.get(addressOf(document)) ?? {};
  return earlier(model, document).some(({ name }) => !former.includes(name));
}

/** Whether a document says that it was something that is still there, and is not it; and did not say so before. */
function contradicts(model: Model, documents: readonly Wanted[], meant: ReadonlyMap<string, Thing>): boolean {
  return documents.some((document) => {
    const own = meant.get(addressOf(document));
    return earlier(model, document).some((object) => object !== own && !own?.former?.includes(object.name));
  });
}

function withIgnored({ spec, lifecycle }: Wanted, left: Spec | undefined): Spec {
  return { ...spec, ...Object.fromEntries(ignored(lifecycle).map((field) => [field, (left ?? spec)[field]])) };
}

function without(spec: Spec, { lifecycle }: Thing): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !ignored(lifecycle).includes(field)));
}

const ignored = ({ ignore }: Lifecycle) => ignore.map((path) => path.slice('/spec/'.length));

const same = ({ former: _, ...a }: Thing, { former: __, ...b }: Thing) => textOf(a) === textOf(b);

/** A thing as text: keys in order, lists of names as the sets that they are, and nothing that is not there. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => {
    if (Array.isArray(part)) return part.every((item) => typeof item === 'string') ? [...part].sort() : part;
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** What no document says is called by its new name. */
function follow({ after, counts, renames, touched }: Sheet): void {
  for (const [address, thing] of after) {
    const spec = inNewNames(thing.spec, renames);
    if (thing.managedBy === 'config' || spec === thing.spec) continue;
    after.set(address, { ...thing, spec });
    if (!touched.has(address)) counts.update += 1;
  }
}

/** All names at once; the very same where none is another. */
function inNewNames(spec: Spec, renames: Sheet['renames']): Spec {
  const now = (name: string) => renames.get(`Stack/${name}`) ?? name;
  const { stacks, defaultStack } = spec as { stacks?: string[]; defaultStack?: string };
  if (!stacks?.some((name) => now(name) !== name)) return spec;
  return {
    ...spec,
    stacks: stacks.map(now),
    ...(defaultStack === undefined ? {} : { defaultStack: now(defaultStack) }),
  };
}

function dangles(model: Model): boolean {
  return [...model.values()].some(({ spec }) =>
    ((spec['stacks'] as string[] | undefined) ?? []).some((name) => !model.has(`Stack/${name}`)),
  );
}
