// Judges a tree on its own: every rule that needs no store, and every warning. After a valid tree only what changed is judged.
import { type Change, created, deleted } from '../model/change.ts';
import { type Finding, hasErrors } from '../model/finding.ts';
import { overlay } from '../model/overlay.ts';
import { readable } from '../model/pointer.ts';
import type { DeclaredResource } from '../model/resource.ts';
import { createState, type State } from '../model/state.ts';
import type { View } from '../model/view.ts';
import { adviseSteps } from '../rules/advice.ts';
import type { Facts } from '../rules/facts.ts';
import { checkSteps } from '../rules/index.ts';
import { looseOverlays } from '../rules/overlay-without-base.ts';
import { type Batch, noConsents } from '../rules/rule.ts';
import { isPlatformKnown } from '../rules/touches.ts';
import type { Desired } from './desired.ts';
import type { DesiredTree } from './desired-tree.ts';
import { located } from './locate.ts';

/** What a judge remembers: the last tree without errors, as a state of its own. */
export interface JudgeMemory {
  good?: { readonly desired: ReadonlyMap<string, Desired>; readonly state: State };
}

/**
 * The findings of a tree, positions included, in steps. With a memory, a tree that differs a little from the last valid one is judged by its
 * differences; should that find an error, the whole tree is judged, so that the findings are those that anybody would get.
 */
export function* judgeSteps(
  tree: DesiredTree,
  facts: Facts,
  memory: JudgeMemory = {},
): Generator<void, readonly Finding[], void> {
  const judged = (yield* judgeChanges(tree, facts, memory)) ?? (yield* judgeWhole(tree, facts, memory));
  const found = [...judged, ...looseOverlays(tree.facts.overlays)];
  const read = readOf(tree);
  const written: Finding[] = [];
  for (const [index, finding] of found.entries()) {
    if (index % 64 === 63) yield;
    if (isWritten(finding, read) && !isOfUnread(finding, tree)) written.push(asWritten(located(finding, read), tree));
  }
  return written;
}

/** What could not be read has a stand-in, of which there is nothing to warn. */
function isOfUnread({ severity, kind, name, path = '' }: Finding, { facts }: DesiredTree): boolean {
  return severity === 'warning' && facts.partial.has(`${kind}/${name}${path}`);
}

/** A rule counts the items of a list without those that could not be read: who reads the finding counts them all. */
function asWritten(finding: Finding, { salvaged }: DesiredTree): Finding {
  const path = finding.path ?? '';
  const written = salvaged.get(`${finding.kind}/${finding.name}`)?.written(path) ?? path;
  if (written === path) return finding;
  return { ...finding, path: written, message: finding.message.replace(readable(path), readable(written)) };
}

/** The findings of what differs from the last valid tree; nothing where there is none, it differs much, or there are errors. */
function* judgeChanges(
  tree: DesiredTree,
  facts: Facts,
  memory: JudgeMemory,
): Generator<void, readonly Finding[] | undefined, void> {
  const { good } = memory;
  if (!good || hasErrors(tree.findings)) return undefined;
  const changes = changesBetween(good.desired, tree.desired);
  if (changes.length > tree.desired.size / 4) return undefined;
  const after = overlay(good.state, changes);
  const errors = yield* collect(checkSteps(batchOf(tree, facts, changes, after)));
  if (errors.length > 0) return undefined;
  good.state.apply(changes);
  memory.good = { desired: tree.desired, state: good.state };
  return yield* collect(adviseSteps(good.state, facts));
}

function* judgeWhole(tree: DesiredTree, facts: Facts, memory: JudgeMemory): Generator<void, readonly Finding[], void> {
  const state = createState();
  const changes: Change[] = [];
  for (const desired of readOf(tree).values()) if (changes.push(created(resourceOf(desired))) % 64 === 0) yield;
  for (let at = 0; at < changes.length; at += 64) {
    state.apply(changes.slice(at, at + 64));
    yield;
  }
  const batch = batchOf(tree, facts, changes, state);
  const errors = yield* collect(checkSteps(batch));
  if (errors.length === 0 && !hasErrors(tree.findings)) memory.good = { desired: tree.desired, state };
  return errors.concat(isPlatformKnown(batch, '/spec') ? yield* collect(adviseSteps(state, facts)) : []);
}

/** All that could be read, also of documents that are wrong. */
function readOf({ desired, salvaged }: DesiredTree): ReadonlyMap<string, Desired> {
  if (salvaged.size === 0) return desired;
  return new Map([...desired, ...[...salvaged].map(([address, one]) => [address, one.desired] as const)]);
}

/** By identity: an unchanged document is decoded once. What came or changed counts as made, as in a tree that is judged whole. */
function changesBetween(before: ReadonlyMap<string, Desired>, after: ReadonlyMap<string, Desired>): Change[] {
  const changes: Change[] = [];
  for (const [address, desired] of after)
    if (before.get(address) !== desired) changes.push(created(resourceOf(desired)));
  for (const [address, desired] of before) if (!after.has(address)) changes.push(deleted(resourceOf(desired)));
  return changes;
}

function batchOf({ facts: tree }: DesiredTree, facts: Facts, changes: readonly Change[], after: View): Batch {
  return { door: 'tree', changes, before: createState(), after, consents: noConsents, facts, tree };
}

function* collect(steps: Generator<readonly Finding[], void, void>): Generator<void, Finding[], void> {
  const found: Finding[] = [];
  for (const step of steps) {
    for (const finding of step) found.push(finding);
    yield;
  }
  return found;
}

/** A switch that is on only because nobody wrote it is not worth a warning. */
function isWritten(finding: Finding, desired: ReadonlyMap<string, Desired>): boolean {
  if (finding.rule !== 'feature-without-effect' || finding.path === undefined) return true;
  return desired.get(`${finding.kind}/${finding.name}`)?.document.raw(finding.path) !== undefined;
}

/** A resource as a document alone would make it; ids and times are stand-ins, which nothing keeps. */
function resourceOf({ kind, name, previousNames, labels, lifecycle, spec }: Desired): DeclaredResource {
  const at = '1970-01-01T00:00:00.000Z';
  const times = { createdAt: at, updatedAt: at };
  const named = { kind, id: `${kind}/${name}`, name, previousNames };
  return { ...named, labels, lifecycle, spec, managedBy: 'config', generation: 1, ...times };
}
