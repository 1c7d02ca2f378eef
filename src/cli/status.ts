// weir status: what was applied last, what was tried last, and how it stands.
import { createInventory } from '../control/inventory.ts';
import { statusOfStore } from '../control/status.ts';
import { exitCodes } from './exit-codes.ts';
import { publish } from './publish.ts';
import { statusOnServer } from './remote.ts';
import { type Invocation, serverFlags, type Verb } from './verb.ts';
import { openStoreAt } from './workbench.ts';

export const status: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: ['store', ...serverFlags, 'output'],
  details:
    'Reads the last durable state, and takes no lock: it may be run beside a server. With --server it asks that one.',
  examples: ['weir status', 'weir status --server https://weir.example.com --token-file token --output json'],
  async run(invocation) {
    const { options, io } = invocation;
    const found = options.server === undefined ? await statusHere(invocation) : await statusOnServer(options, io);
    publish({ type: 'status', status: found }, options.output, io);
    return exitCodes.fine;
  },
};

async function statusHere({ options, io }: Invocation) {
  const store = await openStoreAt(options, io, { create: false, readOnly: true });
  try {
    return await statusOfStore(store, createInventory());
  } finally {
    await store.close();
  }
}
