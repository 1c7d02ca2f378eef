// template-locked: an instance does not override what its template locks (specification 2.6). A lock that comes later refuses nothing: it wins.
import type { Finding } from '../model/finding.ts';
import { sameValue } from '../model/leaves.ts';
import { addressOf, type ResourceOf } from '../model/resource.ts';
import { type Rule, violation, type Written, written } from './rule.ts';

export const templateLocked: Rule = {
  id: 'template-locked',
  refuses: 'overriding an option or a variable that the template of the instance locks',
  perChange: true,
  *check(batch) {
    for (const change of written(batch, 'Instance')) {
      const template = batch.after.get('Template', change.after.spec.template);
      if (template) yield* judge(change, template);
    }
  },
};

/**
 * What the instance had already under this template may stay, however it is written back: the template may have locked it since, and the
 * instance must still be able to stop, upgrade, and be given another name.
 */
function* judge({ before, after }: Written<'Instance'>, template: ResourceOf<'Template'>): Iterable<Finding> {
  const known = before?.spec.template === after.spec.template ? before.spec : undefined;
  const locked = (what: string) =>
    `${what} cannot be overridden, because ${addressOf(template)} locks it: leave it out, or choose another template`;
  for (const [name, lock] of Object.entries(template.spec.options)) {
    const value = optionOf(after.spec, name);
    if (lock?.locked !== true || value === undefined || sameValue(value, optionOf(known, name))) continue;
    yield violation('template-locked', after, `/options/${name}`, locked(`options.${name}`));
  }
  for (const [at, { name, value }] of (after.spec.environment ?? []).entries()) {
    if (!template.spec.environment.some((one) => one.name === name && one.locked)) continue;
    if (known?.environment?.some((one) => one.name === name && one.value === value)) continue;
    yield violation('template-locked', after, `/environment/${at}`, locked(`the variable ${name}`));
  }
}

function optionOf(spec: Written<'Instance'>['after']['spec'] | undefined, name: string): unknown {
  return (spec?.options as Readonly<Record<string, unknown>> | undefined)?.[name];
}
