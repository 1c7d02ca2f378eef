// The registry of benchmarks: a line each, in the order in which they run.
import { benchApi } from './api.ts';
import { benchAudit } from './audit.ts';
import { benchCommands } from './commands.ts';
import { benchDevices } from './devices.ts';
import { benchInstances } from './instances.ts';
import type { Row } from './measure.ts';
import { benchPosted } from './posted.ts';
import { benchProxy } from './proxy.ts';
import { benchReload } from './reload.ts';
import { benchSecrets } from './secrets.ts';
import { benchSignIn } from './sign-in.ts';
import { benchStart } from './start.ts';
import { benchStore } from './store.ts';
import { benchTree } from './tree.ts';

/** Name → what measures it. All of them together may take five minutes. */
export const benches: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  commands: () => benchCommands(),
  tree: () => benchTree([1_000, 10_000]),
  reload: () => benchReload(),
  posted: () => benchPosted(),
  start: () => benchStart(),
  store: () => benchStore(),
  audit: () => benchAudit(),
  secrets: () => benchSecrets(),
  api: () => benchApi(),
  'sign-in': () => benchSignIn(),
  instances: () => benchInstances(),
  devices: () => benchDevices(),
  proxy: () => benchProxy(),
};
