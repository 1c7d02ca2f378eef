// stack-chain: stacks replace each other in a line: no cycles, no two successors of one stack (specification 2.5).
import type { DeclaredResource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import { type Rule, violation, written } from './rule.ts';

export const stackChain: Rule = {
  id: 'stack-chain',
  refuses: 'replaces in a cycle, or one stack replaced twice',
  *check(batch) {
    for (const { after } of written(batch, 'Stack')) {
      if (after.spec.replaces === undefined) continue;
      const cycle = cycleFrom(batch.after, after);
      if (cycle)
        yield violation(
          'stack-chain',
          after,
          '/spec/replaces',
          `replaces cannot be ${after.spec.replaces}, because the stacks would replace each other in a circle: ${cycle.join(' → ')}`,
        );
      const rival = rivalOf(batch.after, after);
      if (rival)
        yield violation(
          'stack-chain',
          after,
          '/spec/replaces',
          `replaces cannot be ${after.spec.replaces}, because Stack/${rival.name} replaces it already`,
        );
    }
  },
};

function cycleFrom(view: View, start: DeclaredResource<'Stack'>): string[] | undefined {
  const seen = [start.name];
  let next = start.spec.replaces;
  while (next !== undefined && seen.length <= view.count('Stack')) {
    seen.push(next);
    if (next === start.name) return seen;
    next = view.named('Stack', next)?.spec.replaces;
  }
  return undefined;
}

function rivalOf(view: View, stack: DeclaredResource<'Stack'>): DeclaredResource<'Stack'> | undefined {
  const replaced = view.named('Stack', stack.spec.replaces ?? '');
  if (!replaced) return undefined;
  for (const other of referrers(view, 'Stack', replaced)) if (other.id !== stack.id) return other;
  return undefined;
}
