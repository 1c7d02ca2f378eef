// The registry of faults. Those that cannot be had on a machine are said to be missing.
import { clockSteps } from './clock.ts';
import type { Fault } from './fault.ts';
import { killed, killedAtStart, stopped } from './kill.ts';
import { held, secondProcess } from './process.ts';
import { fullDisk, readOnlyFolder } from './store-folder.ts';
import { failedSync, failedWrite, killedAtStartCall, killedAtStop, killedAtWrite, noSpace } from './system-calls.ts';
import { halfWritten, startedWithoutTree, treeAway, treeSwapped, treeUnmounted } from './tree.ts';

export const faults: readonly Fault[] = [
  killed,
  killedAtStart,
  stopped,
  killedAtWrite,
  killedAtStop,
  killedAtStartCall,
  failedSync,
  failedWrite,
  noSpace,
  fullDisk,
  readOnlyFolder,
  clockSteps,
  startedWithoutTree,
  treeAway,
  treeUnmounted,
  halfWritten,
  treeSwapped,
  secondProcess,
  held,
];
