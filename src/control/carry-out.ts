// Carries out with a driver what is wanted of one instance.
import { instancePath } from '../core/instances/address.ts';
import { driverProblem, settingsIn } from '../core/instances/around.ts';
import type { Work } from '../core/instances/states.ts';
import type { Resource } from '../core/model/resource.ts';
import { singleton, type View } from '../core/model/view.ts';
import { giveCredentialSecret } from '../core/proposals/give-credential-secret.ts';
import type { Observation } from '../core/proposals/observe-instance.ts';
import { DriverFailed, type Notice, type Run, type Runner } from '../drivers/driver.ts';
import { randomText } from '../lib/id.ts';
import { messageOf } from '../lib/message-of.ts';
import { diskFullWords } from '../store/store.ts';
import { keep, type Plant } from './instance-keeping.ts';
import { restoreInto } from './restore.ts';

/** The reason where no driver can run anything. */
export const noDriver = 'DriverUnavailable';

/** What became of a piece of work; `notice` is what is wrong although it came up. */
export type Outcome = Observation & { readonly notice?: Notice };

/** Has a driver do something to an instance. Rejects never: what fails is an outcome, too. */
export async function carryOut(
  plant: Plant,
  instance: Resource<'Instance'>,
  work: Work,
  signal: AbortSignal,
): Promise<Outcome> {
  const view = plant.door.store.read();
  const runner = runnerIn(plant, view);
  if (!runner) return withoutRunner(plant, view, work);
  try {
    return await withRunner(plant, runner, { instance, work, signal });
  } catch (error) {
    if (error instanceof DriverFailed) return { came: 'failed', reason: error.reason, message: error.message };
    plant.log('error', `the driver failed to ${work} the instance ${instance.id}: ${messageOf(error)}`);
    return { came: 'failed', reason: 'DriverError', message: 'the driver failed; the log of Weir says why' };
  }
}

/** Nothing can run, so nothing has to be stopped. */
function withoutRunner({ drivers }: Plant, view: View, work: Work): Outcome {
  if (work === 'remove') return { came: 'gone' };
  if (work === 'stop' || work === 'suspend') return { came: 'down' };
  const message = driverProblem(singleton(view, 'Platform').spec.driver, drivers) ?? '';
  return { came: 'failed', reason: noDriver, message };
}

async function withRunner(
  plant: Plant,
  runner: Runner,
  {
    instance,
    work,
    signal,
  }: { readonly instance: Resource<'Instance'>; readonly work: Work; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { id } = instance;
  if (wantsRoom(work) && plant.door.store.health().isLow) {
    if (work === 'restart') await runner.stop(id);
    return { came: 'failed', reason: 'DiskFull', message: diskFullWords };
  }
  if (instance.spec.restore && work !== 'remove')
    await restoreInto(plant, runner, instance, await secretOf(plant, instance));
  if (work === 'stop' || work === 'suspend') {
    await runner[work](id);
    return { came: 'down' };
  }
  if (work === 'remove') {
    await runner.remove(id);
    return { came: 'gone' };
  }
  const credentialSecret = await secretOf(plant, instance);
  const view = plant.door.store.read();
  const settings = settingsIn(view, instance);
  if (!settings) return { came: 'failed', reason: 'NoStack', message: 'its stack is gone' };
  const team = view.get('Team', instance.spec.team)?.name ?? '';
  const safe = instance.spec.safeMode ? { safe: true } : {};
  const place = placeOf(plant, id, settings);
  const run: Run = { id, name: instance.name, team, credentialSecret, ...place, ...settings, ...safe };
  // What cannot come up on its new stack goes on running on its old one.
  if (instance.spec.state === 'upgrading') await runner.check?.(run);
  if (work === 'restart') await runner.stop(id);
  return { came: 'up', settings, ...(await runner.start(run, signal)) };
}

/** Where people reach it: at a host name of its own nothing stands before its paths. */
function placeOf({ door }: Plant, id: string, { atRoot }: Pick<Run, 'atRoot'>): Pick<Run, 'path'> {
  const { baseUrl } = door.facts();
  return baseUrl === undefined || atRoot ? {} : { path: instancePath(baseUrl, id) };
}

/** What runs writes: it waits while the disk has room for little more than commits. */
function wantsRoom(work: Work): boolean {
  return work === 'start' || work === 'restart';
}

/** What its credentials are encrypted with: made once, and kept before anything is encrypted with it. */
async function secretOf(plant: Plant, { id, spec }: Resource<'Instance'>): Promise<string> {
  if (spec.credentialSecret !== undefined) return spec.credentialSecret;
  const secret = randomText(secretLength);
  await keep(plant, giveCredentialSecret(id, secret));
  return plant.door.store.read().get('Instance', id)?.spec.credentialSecret ?? secret;
}

/** 256 bits and more. */
const secretLength = 44;

/** The driver that the platform has. */
export function runnerIn({ drivers }: Plant, view: View): Runner | undefined {
  return drivers.get(singleton(view, 'Platform').spec.driver.kind)?.runner;
}
