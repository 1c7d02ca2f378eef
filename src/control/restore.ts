// Carries out a restore that is on its way into an instance: finished or undone as a whole, also by the next start of Weir.
import { withEvents } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { endRestore, type RestoreEnd } from '../core/proposals/restore-snapshot.ts';
import { DriverFailed, type Runner } from '../drivers/driver.ts';
import { keeperIn, unpackInto } from './contents.ts';
import { keep, type Plant } from './instance-keeping.ts';

/** Stops the instance, and replaces what it has. Where that cannot be, it keeps what it has, and a condition says why. */
export async function restoreInto(
  plant: Plant,
  runner: Runner,
  instance: Resource<'Instance'>,
  credentialSecret: string,
): Promise<void> {
  const { id, name, spec } = instance;
  if (!spec.restore) return;
  await runner.stop(id);
  const end = await write(plant, instance, credentialSecret);
  const said = 'reason' in end ? `${end.reason}: ${end.message}` : `the snapshot ${spec.restore.name}`;
  const event = 'reason' in end ? 'instance.restore-failed' : 'instance.restored';
  const target = { kind: 'Instance', id, name };
  const told = { event, target, team: spec.team, reason: said };
  const proposal = endRestore(id, spec.restore.id, end);
  await keep(
    plant,
    withEvents(proposal, (changes) => (changes.length > 0 ? [told] : [])),
  );
}

async function write(plant: Plant, { id, spec }: Resource<'Instance'>, credentialSecret: string): Promise<RestoreEnd> {
  const { store } = plant.door;
  const { content: name = '', credentialSecret: encryptedWith } = spec.restore ?? {};
  try {
    const secrets = { turn: spec.team, credentialSecret, ...(encryptedWith === undefined ? {} : { encryptedWith }) };
    const keeper = keeperIn(plant.drivers, store.read());
    return { flowsDigest: await unpackInto({ store }, keeper, id, name, secrets) };
  } catch (error) {
    if (error instanceof DriverFailed) return { reason: error.reason, message: error.message };
    const words = error instanceof Error ? error.message : String(error);
    plant.log('error', `a snapshot cannot be restored into the instance ${id}: ${words}`);
    return { reason: 'DriverError', message: 'the driver failed; the log of Weir says why' };
  }
}
