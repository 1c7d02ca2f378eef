// The drivers of a server: below the folder of its store, with the secrets of its surroundings.
import { resolve } from 'node:path';
import { singleton } from '../core/model/view.ts';
import { Declined } from '../core/proposals/declined.ts';
import {
  type Driver,
  DriverFailed,
  type Files,
  type Installed,
  type LogPage,
  type LogWish,
} from '../drivers/driver.ts';
import { driversAt } from '../drivers/index.ts';
import type { Options } from '../options.ts';
import { diskFullWords, type Store } from '../store/store.ts';
import { secretOf, storeFlag } from './facts.ts';
import { instancesFolder } from './instances-folder.ts';
import type { Io } from './io.ts';

/** The drivers, by kind, which run instances where the options say. */
export function driversOf(
  store: Store,
  options: Options,
  io: Io,
  log: (level: 'info' | 'warn' | 'error', message: string) => void,
): ReadonlyMap<string, Driver> {
  const folder = resolve(io.cwd, options.store);
  const home = { secretDir: resolve(io.cwd, options.secretDir), env: io.env };
  return driversAt({
    instances: instancesFolder(options, io),
    store: folder,
    stacks: () => resolve(folder, singleton(store.read(), 'Platform').spec.driver.stacksDirectory),
    isolation: () => {
      // A platform that an earlier build wrote says nothing of it.
      const { isolation = 'auto', firstUserId = 200_000 } = singleton(store.read(), 'Platform').spec.driver;
      return { isolation, firstUserId };
    },
    storeFlag: storeFlag({ cwd: io.cwd, store: folder }),
    env: io.env,
    secretOf: (secret) => secretOf(secret, home),
    log,
  });
}

/** Measures what instances use with the driver that the platform has now. */
export function usageWith(store: Store, drivers: ReadonlyMap<string, Driver>) {
  return async () => (await driverOf(store, drivers)?.meter?.read()) ?? new Map<string, never>();
}

/** The driver that the platform has now. */
export function driverOf(store: Store, drivers: ReadonlyMap<string, Driver>): Driver | undefined {
  return drivers.get(singleton(store.read(), 'Platform').spec.driver.kind);
}

/** Reads the logs of instances with the driver that the platform has now. */
export function logsOf(store: Store, drivers: ReadonlyMap<string, Driver>) {
  return async (id: string, wish: LogWish): Promise<LogPage> =>
    (await driverOf(store, drivers)?.logs?.read(id, wish)) ?? {
      lines: [],
      count: 0,
    };
}

/** Says what is installed in instances, by the driver that the platform has now. */
export function installedWith(store: Store, drivers: ReadonlyMap<string, Driver>) {
  return async (id: string, runtime: string): Promise<Installed> =>
    (await driverOf(store, drivers)?.inventory?.read(id, runtime)) ?? { modules: [] };
}

/** Keeps files that instances serve, with the driver that the platform has now. What that cannot do is a conflict. */
export function filesWith(store: Store, drivers: ReadonlyMap<string, Driver>): Files {
  const files = () => driverOf(store, drivers)?.files;
  const done = <T>(work: Promise<T> | undefined): Promise<T> =>
    (work ?? Promise.reject(new DriverFailed('NoFiles', 'the driver of the platform keeps no files'))).catch(
      (error) => {
        throw error instanceof DriverFailed ? new Declined(declinedFor(error), error.message) : error;
      },
    );
  return {
    list: async (id) => (await files()?.list(id)) ?? [],
    open: async (id, path) => files()?.open(id, path),
    put: async (id, path, content, check) => {
      if (store.health().isLow)
        throw new Declined('insufficient_storage', `${path} cannot be written, because ${diskFullWords}`);
      return done(files()?.put(id, path, content, check));
    },
    remove: (id, path, check) => done(files()?.remove(id, path, check)),
  };
}

function declinedFor({ reason }: DriverFailed) {
  return reason === 'DiskFull' ? 'insufficient_storage' : 'conflict';
}

/** Where instances answer that run with the driver that the platform has now. */
export function doorsOf(store: Store, drivers: ReadonlyMap<string, Driver>) {
  return (id: string) => driverOf(store, drivers)?.doors?.at(id);
}
