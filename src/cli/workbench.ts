// Opens stores for commands, and lays out what planning and applying need of the world.
import { createHmac, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Workbench } from '../control/attempt.ts';
import { createInventory } from '../control/inventory.ts';
import type { Actor } from '../core/model/proposal.ts';
import type { Facts } from '../core/rules/facts.ts';
import { idSource } from '../lib/id.ts';
import type { Options } from '../options.ts';
import { engines } from '../store/index.ts';
import type { KeySource } from '../store/key-file.ts';
import type { OpenOptions } from '../store/setting.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { homeFacts } from './facts.ts';
import type { Io } from './io.ts';
import { escaped } from './output/escape.ts';

/** Who acts when somebody types a command. */
export const commandActor: Actor = { kind: 'config', name: 'command' };

/** Opens the store of `--store`, and says where a key was made for it. Throws `StoreUnavailable`. */
export function openStoreAt(
  options: Options,
  io: Io,
  how: Pick<OpenOptions, 'create' | 'readOnly' | 'reserveBytes' | 'watched' | 'onSync' | 'onFailure'>,
): Promise<Store> {
  return engines['json-file'](resolve(io.cwd, options.store), {
    ...how,
    keys: keysAt(options, io),
    onKeyMade: (path, id) =>
      io.stderr.write(
        `${escaped(path)}: the key ${id} of the store was made: keep a copy of it apart from backups, which do not hold it unless asked (weir backup --with-key)\n`,
      ),
    log: (message) => io.stderr.write(`${escaped(message)}\n`),
  });
}

/** Where the key of the store is. */
export function keysAt({ secretKeyFile }: Options, { cwd, env }: Io): KeySource {
  const file = secretKeyFile === undefined ? undefined : resolve(cwd, secretKeyFile);
  return { text: env.WEIR_SECRET_KEY || undefined, file };
}

/** Opens the store of `--store` to apply something to it. Throws `StoreUnavailable`. */
export function openStoreToApply(options: Options, io: Io, create: boolean): Promise<Store> {
  const way = 'have it apply its own tree: weir apply --server URL --token-file FILE';
  return openStoreForVerb(options, io, { create, way });
}

/** Opens the store of `--store` to write to it. Where a server holds it, the `way` around that is told. Throws `StoreUnavailable`. */
export async function openStoreForVerb(
  options: Options,
  io: Io,
  { create, way }: { readonly create: boolean; readonly way: string },
): Promise<Store> {
  try {
    return await openStoreAt(options, io, { create });
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || error.reason !== 'locked') throw error;
    throw new StoreUnavailable('locked', `${error.message},\nor, where that is a server, ${way}`, { cause: error });
  }
}

/** The store as it is on the disk, or nothing where there is none. Takes no lock and makes nothing. */
async function storeForReading(options: Options, io: Io): Promise<Store | undefined> {
  try {
    return await openStoreAt(options, io, { create: false, readOnly: true });
  } catch (error) {
    if (error instanceof StoreUnavailable && error.reason === 'missing') return undefined;
    throw error;
  }
}

/** A store to plan against; a missing one is empty. What is known there is what `apply` would know: both give the same warnings. */
export async function planningGround(
  options: Options,
  io: Io,
): Promise<{ readonly store: Store; readonly facts: Facts }> {
  const store = await storeForReading(options, io);
  return { store: store ?? engines.memory(), facts: factsAt(options, io) };
}

/** What is known where the store is. */
export function factsAt(options: Options, io: Io): Facts {
  return homeFacts({
    cwd: io.cwd,
    store: resolve(io.cwd, options.store),
    secretDir: resolve(io.cwd, options.secretDir),
    env: io.env,
  });
}

/** What attempts need of the world. */
export function benchOf(store: Store, facts: Facts, io: Io): Workbench {
  // Fingerprints are compared within one plan only; a key of its own keeps them from being tried against lists of passwords.
  const key = randomBytes(32);
  return {
    store,
    facts: () => facts,
    now: io.now,
    newId: idSource(),
    elapsed: io.elapsed,
    inventoryOf: createInventory(),
    fingerprint: (secret) => createHmac('sha256', key).update(secret).digest('hex').slice(0, 12),
  };
}
