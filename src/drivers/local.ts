// The local driver: instances are processes of this machine.
import type { Driver } from './driver.ts';

export const local: Driver = { kind: 'local', provides: new Set() };
