// The registry of drivers: one line each.
import type { Driver } from './driver.ts';
import { local } from './local.ts';

/** The drivers of this build, by kind. */
export const drivers: ReadonlyMap<string, Driver> = new Map<string, Driver>([[local.kind, local]]);
