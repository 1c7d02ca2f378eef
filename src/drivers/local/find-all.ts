// All that runs at a place is found again, and what is left of earlier runs ended. What is wrong with one instance keeps no other from running.
import { groupsFor } from './control-group.ts';
import { runsIn } from './find-again.ts';
import { folderOf, idsIn, removeLeftovers } from './folder.ts';
import { endTree } from './process-tree.ts';

/** What is done with what is found. */
export interface Finding {
  find(id: string): Promise<unknown>;
  /** A run has processes that have the home of this instance. */
  stray(id: string, run: string): Promise<unknown>;
  log(message: string): void;
}

/** Looks at all folders of instances; says what cannot be done, and goes on. */
export async function findAll(instances: string, { find, stray, log }: Finding): Promise<void> {
  const unknown = new Set<string>();
  const passing = (what: string) => (error: unknown) =>
    log(`${what}: ${error instanceof Error ? error.message : error}`);
  const ids = await idsIn(instances);
  for (const id of ids)
    await find(id).catch((error: unknown) => {
      unknown.add(id);
      passing(`instance ${id} could not be looked at`)(error);
    });
  const homes = new Map(ids.map((id) => [id, folderOf(instances, id).home]));
  // What runs of an instance that could not be looked at may be just what is to run.
  for (const [id, run] of await runsIn(homes))
    if (!unknown.has(id)) await stray(id, run).catch(passing(`what is left of instance ${id} could not be ended`));
  await removeLeftovers(instances, (path, error) => passing(`${path} could not be deleted`)(error));
}

/** Ends all processes of a run. */
export async function endStray(run: string): Promise<void> {
  await endTree({ run, groups: await groupsFor(run) });
}
