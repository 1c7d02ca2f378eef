// Makes an instance of a team.
import { driverProblem } from '../instances/around.ts';
import { standing } from '../instances/standing.ts';
import type { Move } from '../instances/states.ts';
import { kinds } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import {
  chosenId,
  chosenStack,
  overridden,
  type WrittenOptions,
  type WrittenVariables,
} from './chosen-for-instance.ts';
import { InvalidSpec } from './written-spec.ts';

/** The drivers that there are, by kind; those that can run instances have a `runner`. */
export type Drivers = ReadonlyMap<string, { readonly runner?: object }>;

/** What a new instance is given: the id of its team, and the names of what it is made from. */
export interface NewInstance {
  readonly team: string;
  readonly name: string;
  readonly instanceType: string;
  readonly template: string;
  /** Absent: the default stack of the type. */
  readonly stack?: string | undefined;
  readonly options?: WrittenOptions;
  readonly environment?: WrittenVariables;
}

/**
 * It starts as soon as it is made, where the driver of the platform can start anything; else it is made stopped. Throws `InvalidSpec` with every
 * problem of what was sent.
 */
export function createInstance(instance: NewInstance, drivers: Drivers): Proposal {
  return (view, { now, newId }) => {
    const instanceType = chosenId(view, 'InstanceType', instance.instanceType);
    const template = chosenId(view, 'Template', instance.template);
    const stack = chosenStack(view, instanceType, instance.stack);
    const { issues, ...own } = overridden({}, instance);
    const all = [...(stack.issue ? [stack.issue] : []), ...issues];
    if (all.length > 0) throw new InvalidSpec(all);
    const { team, name } = instance;
    const spec = kinds.Instance.spec.parse({ team, instanceType, template, stack: stack.id, ...own });
    const fresh: Resource<'Instance'> = {
      kind: 'Instance',
      id: newId(),
      name,
      spec: standing(spec, firstMove(view, drivers), now),
      generation: 1,
      createdAt: now,
      updatedAt: now,
    };
    return [created(fresh)];
  };
}

function firstMove(view: View, drivers: Drivers): Move {
  const { driver } = singleton(view, 'Platform').spec;
  return driverProblem(driver, drivers) === undefined
    ? { state: 'creating', desired: 'running' }
    : { state: 'stopped', desired: 'stopped' };
}
