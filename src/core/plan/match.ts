// Which resource each document means: the one with its name, or one that it says it was called before.
import type { DeclaredKindName } from '../kinds/index.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { Desired } from './desired.ts';
import { isSettled } from './former-names.ts';

/** The resources that documents mean, by the documents' addresses; those that are not here are new. */
export type Matches = ReadonlyMap<string, DeclaredResource>;

/**
 * Matches documents with resources. A document whose name exists means that resource, and previous names that were followed already say nothing: so
 * they may stay. Names that move on in the same revision are the exception: in a line (`a` is called `b`, and what was `b` is called `c`), or in a
 * circle, of which a swap is the smallest.
 */
export function* matchSteps(desired: ReadonlyMap<string, Desired>, view: View): Generator<void, Matches, void> {
  const matches = new Map<string, DeclaredResource>();
  const taken = new Set<string>();
  const match = (wanted: Desired, resource: DeclaredResource) => {
    matches.set(addressIn(wanted.kind, wanted.name), resource);
    taken.add(resource.id);
  };
  const claims = claimsIn(desired, view);
  for (const line of linesIn(claims, desired, view)) for (const move of line) match(...move);
  yield;
  for (const circle of circlesIn(claims, view)) for (const move of circle) match(...move);
  yield;
  let steps = 0;
  for (const wanted of desired.values()) {
    if (++steps % 256 === 0) yield;
    if (matches.has(addressIn(wanted.kind, wanted.name))) continue;
    const same = view.named(wanted.kind, wanted.name);
    if (same && !taken.has(same.id)) match(wanted, same);
  }
  return matches;
}

/** A document, and the resource that it has been. */
type Move = readonly [Desired, DeclaredResource];

/** A document that names objects which are there as what it was; `isFresh`: it did not do so when it was last applied. */
interface Claim {
  readonly wanted: Desired;
  readonly objects: readonly DeclaredResource[];
  readonly isFresh: boolean;
}

/** The claims by the addresses of their documents. No two of them are to one name: such a tree is refused before. */
function claimsIn(desired: ReadonlyMap<string, Desired>, view: View): ReadonlyMap<string, Claim> {
  const claims = new Map<string, Claim>();
  for (const [address, wanted] of desired) {
    const { kind, name, previousNames } = wanted;
    if (previousNames.length === 0) continue;
    const objects = previousNames.flatMap((previous) => (previous === name ? [] : (view.named(kind, previous) ?? [])));
    const own = view.named(kind, name);
    const isFresh = objects.some((object) => !own || !isSettled(own, wanted, object.name));
    if (objects.length > 0) claims.set(address, { wanted, objects, isFresh });
  }
  return claims;
}

function* linesIn(
  claims: ReadonlyMap<string, Claim>,
  desired: ReadonlyMap<string, Desired>,
  view: View,
): Iterable<readonly Move[]> {
  for (const { wanted } of claims.values())
    if (!view.named(wanted.kind, wanted.name)) yield lineFrom(wanted, claims, desired);
}

/** A step of a line: a document takes an object; `above` is the step that took what the document had. */
interface Step {
  readonly move: Move;
  readonly above: Step | undefined;
}

/**
 * The renames that one new name brings: usually one. Whoever has a name that is taken takes a former name of its own, until one is reached that no
 * document has any more. Empty where none is: then nothing was renamed. As no name is claimed twice, no document is looked at twice.
 */
function lineFrom(
  start: Desired,
  claims: ReadonlyMap<string, Claim>,
  desired: ReadonlyMap<string, Desired>,
): readonly Move[] {
  const waiting = stepsOf(start, claims, undefined);
  const seen = new Set<Desired>([start]);
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const [, object] = step.move;
    const holder = desired.get(addressIn(object.kind, object.name));
    if (!holder) return movesUpTo(step);
    if (seen.has(holder)) continue;
    seen.add(holder);
    waiting.push(...stepsOf(holder, claims, step));
  }
  return [];
}

/** What a document could take; the first of its former names comes last, to be looked at next. */
function stepsOf(wanted: Desired, claims: ReadonlyMap<string, Claim>, above: Step | undefined): Step[] {
  const objects = claims.get(addressIn(wanted.kind, wanted.name))?.objects ?? [];
  return objects.map((object): Step => ({ move: [wanted, object], above })).reverse();
}

function movesUpTo(last: Step): readonly Move[] {
  const moves: Move[] = [];
  for (let step: Step | undefined = last; step; step = step.above) moves.push(step.move);
  return moves;
}

/**
 * The circles: each document in one claims the name of the next. One that was followed is claimed by nobody afresh. Each document is walked to
 * whoever claims its name, and there is one such at most: so each is visited once.
 */
function* circlesIn(claims: ReadonlyMap<string, Claim>, view: View): Iterable<readonly Move[]> {
  const claimants = new Map<DeclaredResource, Claim>();
  for (const claim of claims.values()) for (const object of claim.objects) claimants.set(object, claim);
  const visited = new Set<Claim>();
  for (const start of claims.values()) {
    const trail = new Map<Claim, DeclaredResource | undefined>();
    let claim: Claim | undefined = start;
    while (claim && !visited.has(claim)) {
      visited.add(claim);
      const own: DeclaredResource | undefined = view.named(claim.wanted.kind, claim.wanted.name);
      trail.set(claim, own);
      claim = own && claimants.get(own);
    }
    if (!claim || !trail.has(claim)) continue;
    const walked = [...trail];
    const circle = walked.slice(walked.findIndex(([one]) => one === claim));
    if (circle.some(([{ isFresh }]) => isFresh)) yield movesIn(circle);
  }
}

/** The next in the walk claims what this one has. */
function movesIn(circle: readonly (readonly [Claim, DeclaredResource | undefined])[]): readonly Move[] {
  return circle.flatMap(([, own], at) => {
    const next = circle[(at + 1) % circle.length];
    return next && own ? [[next[0].wanted, own] as const] : [];
  });
}

function addressIn(kind: DeclaredKindName, name: string): string {
  return `${kind}/${name}`;
}
