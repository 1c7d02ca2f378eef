// stack-chain: stacks replace each other in a line: no cycles, no two successors of one stack (specification 2.5).
import type { Finding } from '../model/finding.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import { type Batch, type Rule, violation, type Written, written } from './rule.ts';

export const stackChain: Rule = {
  id: 'stack-chain',
  refuses: 'replaces in a cycle, or one stack replaced twice',
  *check(batch) {
    for (const found of steps(batch)) if (found) yield found;
  },
  steps,
};

function* steps(batch: Batch): Generator<Finding | undefined> {
  // One that replaces nothing closes no circle, and is nobody's rival.
  const stacks = [...written(batch, 'Stack')].filter(({ after }) => after.spec.replaces !== undefined);
  yield undefined;
  const circles = yield* circlesAmong(batch.after, stacks);
  const told = new Set<readonly string[]>();
  for (const [index, { after }] of stacks.entries()) {
    if (index % 256 === 255) yield undefined;
    const circle = circles.get(after.name);
    // One circle is one mistake, whichever of its stacks is changed.
    if (circle && !told.has(circle))
      yield refuse(after, `the stacks would replace each other in a circle: ${shownCircle(circle, after.name)}`);
    if (circle) told.add(circle);
    const rival = rivalOf(batch.after, after);
    if (rival) yield refuse(after, `${addressOf(rival)} replaces it already`);
  }
}

type Stack = DeclaredResource<'Stack'>;

function refuse(stack: Stack, because: string): Finding {
  const what = `replaces cannot be ${stack.spec.replaces}, because ${because}`;
  return violation('stack-chain', stack, '/spec/replaces', what);
}

/** Each name that stands in a circle with the names of that circle, in order. Every stack is visited once, however long the chains are. */
function* circlesAmong(
  view: View,
  stacks: readonly Written<'Stack'>[],
): Generator<undefined, ReadonlyMap<string, readonly string[]>> {
  const seen = new Set<string>();
  const circles = new Map<string, readonly string[]>();
  for (const { after } of stacks) {
    const trail = new Map<string, number>();
    let next: string | undefined = after.name;
    while (next !== undefined && !seen.has(next)) {
      seen.add(next);
      trail.set(next, trail.size);
      next = view.named('Stack', next)?.spec.replaces;
      if (seen.size % 256 === 0) yield undefined;
    }
    const entered = next === undefined ? undefined : trail.get(next);
    if (entered === undefined) continue;
    const circle = [...trail.keys()].slice(entered);
    for (const name of circle) circles.set(name, circle);
  }
  return circles;
}

/** `a → b → a`, begun where the reader is; a long circle is cut short. */
function shownCircle(circle: readonly string[], start: string): string {
  const at = circle.indexOf(start);
  const most = 6;
  const shown = Array.from({ length: Math.min(circle.length, most) }, (_, step) => circle[(at + step) % circle.length]);
  const more = circle.length > most ? [`… (${circle.length} stacks)`] : [];
  return [...shown, ...more, start].join(' → ');
}

function rivalOf(view: View, stack: Stack): Stack | undefined {
  const replaced = stack.spec.replaces === undefined ? undefined : view.named('Stack', stack.spec.replaces);
  if (!replaced) return undefined;
  for (const other of referrers(view, 'Stack', replaced)) if (other.id !== stack.id) return other;
  return undefined;
}
