// weir suspend and weir resume: stop the reconciler of a server from reading and applying its tree, and let it go on.
import type { ConfigStatus } from '../control/config-status.ts';
import { createInventory } from '../control/inventory.ts';
import { statusOfStore } from '../control/status.ts';
import { submit } from '../control/submit.ts';
import { printable } from '../core/model/printable.ts';
import type { Proposal } from '../core/model/proposal.ts';
import { suspendedWords } from '../core/model/suspension.ts';
import { resumeReconciler, suspendReconciler } from '../core/proposals/suspend-reconciler.ts';
import { newId } from '../lib/id.ts';
import { UsageError } from '../options.ts';
import { exitCodes } from './exit-codes.ts';
import { publish } from './publish.ts';
import { postForStatus } from './remote.ts';
import { type Invocation, serverFlags, type Verb } from './verb.ts';
import { commandActor, factsAt, openStoreForVerb } from './workbench.ts';

const flags = ['store', 'secretKeyFile', ...serverFlags, 'output'] as const;

export const suspend: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: [...flags, 'reason'],
  details: `Until "weir resume", the server neither reads nor applies its tree: not when it changes, not at a start, and not when "weir apply --server"
asks for it. Plans can be made, and everything else goes on. With --store it writes to the store itself, which needs the server to be stopped.`,
  examples: [
    'weir suspend --server https://weir.example.com --token-file token --reason "database upgrade"',
    'weir suspend --store /var/lib/weir',
  ],
  async run(invocation) {
    const reason = reasonIn(invocation);
    const body = reason === undefined ? {} : { reason };
    return carryOut(invocation, { name: 'suspend', body, proposal: suspendReconciler(body) });
  },
};

export const resume: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: flags,
  details: 'The server reads its tree at once, and follows it again. With --store the next start of the server does.',
  examples: ['weir resume --server https://weir.example.com --token-file token', 'weir resume --store /var/lib/weir'],
  run: (invocation) => carryOut(invocation, { name: 'resume', body: {}, proposal: resumeReconciler }),
};

interface Wanted {
  readonly name: 'suspend' | 'resume';
  readonly body: object;
  readonly proposal: Proposal;
}

async function carryOut(invocation: Invocation, { name, body, proposal }: Wanted) {
  const { options, io } = invocation;
  const status =
    options.server === undefined
      ? await carryOutHere(invocation, name, proposal)
      : await postForStatus(options, io, `config/${name}`, body);
  publish({ type: 'status', status, told: toldOf(status) }, options.output, io);
  return exitCodes.fine;
}

/** What holds now, in one line: the status says it among much else. */
function toldOf({ suspended, mode }: ConfigStatus): string {
  if (suspended) return `the reconciler is ${suspendedWords(suspended)}`;
  return mode === 'manual'
    ? 'the reconciler goes on: it reads the tree, and waits until somebody applies it (reconcile.mode is manual)'
    : 'the reconciler goes on: it follows its tree again';
}

async function carryOutHere({ options, io }: Invocation, name: string, proposal: Proposal) {
  const way = `have it do so itself: weir ${name} --server URL --token-file FILE`;
  const store = await openStoreForVerb(options, io, { create: false, way });
  try {
    const context = { now: io.now(), newId, actor: commandActor, origin: 'api' } as const;
    await submit({ store, facts: () => factsAt(options, io) }, proposal, context);
    return await statusOfStore(store, createInventory());
  } finally {
    await store.close();
  }
}

function reasonIn({ options: { reason } }: Invocation): string | undefined {
  if (reason !== undefined && printable(reason) !== reason)
    throw new UsageError('--reason cannot be used, because it holds control characters: write one line');
  return reason;
}
