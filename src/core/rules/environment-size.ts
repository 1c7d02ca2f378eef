// environment-size: variables that no process could be started with. A template is judged by the instances that get its variables.
import { bytesOfVariables, mostEnvironmentBytes } from '../instances/environment-size.ts';
import { effectiveEnvironment } from '../instances/settings.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import { type Batch, type Rule, some, violation, type Written, written } from './rule.ts';

export const environmentSize: Rule = {
  id: 'environment-size',
  refuses: 'variables that no process can be started with: more than 1 MiB, those of template and instance together',
  *check(batch) {
    for (const finding of look(batch)) if (finding) yield finding;
  },
  steps: look,
};

/** Only growth is refused: what is too large already may still be made smaller, a piece at a time. */
function* look(batch: Batch): Iterable<Finding | undefined> {
  for (const { before, after } of written(batch, 'Device')) {
    const size = bytesOfVariables(after.spec.environment ?? []);
    const isLarger = size > mostEnvironmentBytes && size > bytesOfVariables(before?.spec.environment ?? []);
    if (isLarger) yield violation('environment-size', after, '/environment', tooMuch(size));
  }
  for (const change of written(batch, 'Instance')) yield* ofInstance(batch, change);
  for (const change of written(batch, 'Template')) yield* ofTemplate(batch, change);
}

function* ofInstance(batch: Batch, { before, after }: Written<'Instance'>): Iterable<Finding> {
  const size = sizeIn(batch.after, after);
  if (size <= mostEnvironmentBytes || (before && size <= sizeIn(batch.before, before))) return;
  const template = batch.after.get('Template', after.spec.template);
  const given = template && template.spec.environment.length > 0 ? ` with those of ${addressOf(template)}` : '';
  yield violation('environment-size', after, '/environment', tooMuch(size, given));
}

function* ofTemplate(batch: Batch, { before, after }: Written<'Template'>): Iterable<Finding | undefined> {
  if (before?.spec.environment === after.spec.environment) return;
  const size = bytesOfVariables(after.spec.environment);
  const isLarger = size > bytesOfVariables(before?.spec.environment ?? []);
  if (size > mostEnvironmentBytes && isLarger)
    return yield violation('environment-size', after, '/spec/environment', tooMuch(size));
  const burst: Resource<'Instance'>[] = [];
  let seen = 0;
  for (const instance of before ? referrers(batch.after, 'Instance', after) : []) {
    if (isBurst(batch, instance)) burst.push(instance);
    if (++seen % 256 === 0) yield undefined;
  }
  if (burst.length === 0) return;
  const who = some(burst.map(addressOf), burst.length);
  const what = `its variables cannot be these, because with them ${who} would have more than ${most}, and no process gets more: ${shorten}`;
  yield violation('environment-size', after, '/spec/environment', what);
}

/** Whether an instance would have too much, and more than it had. */
function isBurst({ before, after }: Batch, instance: Resource<'Instance'>): boolean {
  const size = sizeIn(after, instance);
  const old = before.get('Instance', instance.id);
  return size > mostEnvironmentBytes && (!old || size > sizeIn(before, old));
}

/** The bytes of all variables of an instance; where it cannot be too much, of those of template and instance together. */
function sizeIn(view: View, { spec }: Resource<'Instance'>): number {
  const template = view.get('Template', spec.template);
  const atMost = bytesOfVariables(template?.spec.environment ?? []) + bytesOfVariables(spec.environment ?? []);
  return atMost <= mostEnvironmentBytes ? atMost : bytesOfVariables(effectiveEnvironment(template?.spec, spec));
}

function tooMuch(size: number, given = ''): string {
  return `its variables cannot be these, because they come to ${shown(size)}${given}, and a process gets ${most} at most: ${shorten}`;
}

const shorten = 'shorten them, or have the flows read a file';

function shown(bytes: number): string {
  return `${Math.ceil((bytes * 100) / 1024 / 1024) / 100} MiB`;
}

const most = shown(mostEnvironmentBytes);
