// Changes what an instance is made from, and what it overrides. All but the name acts when it next starts.
import type { SpecOf } from '../kinds/index.ts';
import { updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import {
  chosenId,
  chosenStack,
  type Issue,
  overridden,
  type WrittenOptions,
  type WrittenVariables,
} from './chosen-for-instance.ts';
import { Declined } from './declined.ts';
import { InvalidSpec } from './written-spec.ts';

/** Which instance, and whether what the caller last saw is still what is there. */
export interface InstanceTarget {
  readonly id: string;
  readonly expected?: (current: Resource<'Instance'>) => boolean;
}

/** What changes; what is absent stays. In `options` and `environment` too: what they do not mention stays, and `null` takes an override away. */
export interface InstanceUpdate extends InstanceTarget {
  readonly name?: string | undefined;
  readonly instanceType?: string | undefined;
  readonly template?: string | undefined;
  readonly stack?: string | undefined;
  readonly options?: WrittenOptions;
  readonly environment?: WrittenVariables;
  /** `environment` is all that there shall be. */
  readonly replacesLists?: boolean;
  readonly protected?: boolean | undefined;
  /** `null`: as the type of the team says. */
  readonly endpointAccess?: SpecOf<'Instance'>['endpointAccess'] | null;
}

/** Declines (`not_found`, `conflict` while it is being deleted, `precondition_failed`); throws `InvalidSpec` with every problem of what was sent. */
export function updateInstance(update: InstanceUpdate): Proposal {
  return (view, { now }) => {
    const current = targeted(view, update);
    if (current.spec.state === 'deleting') throw cannot(current, 'changed', 'it is being deleted');
    const { issues, ...spec } = written(view, current.spec, update);
    if (issues.length > 0) throw new InvalidSpec(issues);
    const name = update.name ?? current.name;
    if (name === current.name && sameValue(spec, current.spec)) return [];
    return [updated(current, { ...current, name, spec, generation: current.generation + 1, updatedAt: now })];
  };
}

/** The instance, as the caller saw it. */
export function targeted(view: View, { id, expected }: InstanceTarget): Resource<'Instance'> {
  const current = view.get('Instance', id);
  if (!current) throw new Declined('not_found', 'there is no such instance');
  if (expected && !expected(current))
    throw new Declined(
      'precondition_failed',
      `the instance ${current.name} changed since it was read: read it again, and decide anew`,
    );
  return current;
}

/** What is said of something that cannot be done with an instance. */
export function cannot({ name }: Resource<'Instance'>, done: string, because: string): Declined {
  return new Declined('conflict', `the instance ${name} cannot be ${done}, because ${because}`);
}

function written(
  view: View,
  current: SpecOf<'Instance'>,
  update: InstanceUpdate,
): SpecOf<'Instance'> & { readonly issues: readonly Issue[] } {
  const { options: _, environment: __, protected: ___, endpointAccess: ____, ...rest } = current;
  const instanceType =
    update.instanceType === undefined ? current.instanceType : chosenId(view, 'InstanceType', update.instanceType);
  const template = update.template === undefined ? current.template : chosenId(view, 'Template', update.template);
  const stack = stackAfter(view, current, instanceType, update.stack);
  const { issues, ...own } = overridden(current, update);
  return {
    ...rest,
    instanceType,
    template,
    stack: stack.id,
    ...own,
    ...doorAfter(current, update),
    issues: [...(stack.issue ? [stack.issue] : []), ...issues],
  };
}

/** Who may come in. What is as it would be without a word is not kept. */
function doorAfter(
  current: SpecOf<'Instance'>,
  update: InstanceUpdate,
): Pick<SpecOf<'Instance'>, 'protected' | 'endpointAccess'> {
  const isProtected = update.protected ?? current.protected;
  const access = update.endpointAccess === undefined ? current.endpointAccess : update.endpointAccess;
  return { ...(isProtected ? { protected: true } : {}), ...(access ? { endpointAccess: access } : {}) };
}

/** The stack stays where nobody chose another and the type has it; a new type that does not have it brings its default. */
function stackAfter(view: View, current: SpecOf<'Instance'>, instanceType: string, wanted: string | undefined) {
  const own = view.get('Stack', current.stack)?.name ?? '';
  const listed = view.get('InstanceType', instanceType)?.spec.stacks ?? [];
  const isKept =
    wanted === undefined
      ? instanceType === current.instanceType || listed.includes(own)
      : wanted === own && instanceType === current.instanceType;
  return isKept ? { id: current.stack } : chosenStack(view, instanceType, wanted);
}
