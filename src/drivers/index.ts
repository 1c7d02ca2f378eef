// The registry of drivers: one line each.
import type { Driver } from './driver.ts';
import { type LocalPlace, local, localDriver } from './local.ts';

/** The drivers of this build, by kind. They run nothing before they are given a place. */
export const drivers: ReadonlyMap<string, Driver> = new Map<string, Driver>([[local.kind, local]]);

/** What the drivers need of the place where they run. */
export type DriverPlace = LocalPlace;

/** The drivers of this build at a place, where they run instances. */
export function driversAt(place: DriverPlace): ReadonlyMap<string, Driver> {
  return new Map<string, Driver>([[local.kind, localDriver(place)]]);
}
