// The registry of faults. Those that cannot be had on a machine are said to be missing.
import { busyTree } from './busy-tree.ts';
import { clockFarAhead, clockSteps } from './clock.ts';
import { damagedLog } from './damaged-log.ts';
import type { Fault } from './fault.ts';
import { killed, killedAtStart, stopped } from './kill.ts';
import { held, secondProcess } from './process.ts';
import { lockRemoved, pulledAway } from './pulled-away.ts';
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
  pulledAway,
  lockRemoved,
  damagedLog,
  clockSteps,
  clockFarAhead,
  startedWithoutTree,
  treeAway,
  treeUnmounted,
  halfWritten,
  treeSwapped,
  busyTree,
  secondProcess,
  held,
];
