// reserved-variable: what steers the process of a runtime is set by nobody; what was there when the rule came may stay, and does not act.
import { reservedVariable } from '../instances/reserved-variables.ts';
import type { Finding } from '../model/finding.ts';
import type { Resource } from '../model/resource.ts';
import { type Batch, type Rule, violation, written } from './rule.ts';

export const reservedVariables: Rule = {
  id: 'reserved-variable',
  refuses: 'a variable that steers the process of a runtime, such as NODE_OPTIONS, LD_PRELOAD, PATH and HOME',
  perChange: true,
  *check(batch) {
    for (const { before, after } of written(batch, 'Template')) yield* judge(batch, after, before);
    for (const { before, after } of written(batch, 'Instance')) yield* judge(batch, after, before);
    for (const { before, after } of written(batch, 'Device')) yield* judge(batch, after, before);
  },
};

type Holder = Resource<'Template' | 'Instance' | 'Device'>;

function* judge({ facts }: Batch, after: Holder, before: Holder | undefined): Iterable<Finding> {
  const variables = after.spec.environment;
  const known = before?.spec.environment;
  if (!variables || variables === known) return;
  const place = {
    of: after.kind === 'Device' ? 'device' : 'instance',
    anyCase: facts.variablesInAnyCase === true,
  } as const;
  const base = after.kind === 'Template' ? '/spec/environment' : '/environment';
  for (const [at, { name, value }] of variables.entries()) {
    const reserved = reservedVariable(name, place);
    if (!reserved || known?.some((one) => one.name === name && one.value === value)) continue;
    const what = `the variable ${name} cannot be set, because ${reserved.because}: ${reserved.instead}`;
    yield violation('reserved-variable', after, `${base}/${at}`, what);
  }
}
