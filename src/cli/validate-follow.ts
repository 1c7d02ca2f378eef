// Checks a tree again after each change, until somebody interrupts, or nobody reads it.
import { resolve } from 'node:path';
import { judgeTree, readTree } from '../control/tree.ts';
import { isMissing, type Missing, type Tree } from '../manifests/tree.ts';
import { watch } from '../manifests/watch.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { offlineFacts } from './facts.ts';
import { escaped } from './output/escape.ts';
import { publish } from './publish.ts';
import { endOf, stopRequest } from './stop.ts';
import { checkReport } from './tree.ts';
import type { Invocation } from './verb.ts';

/** Somebody waits for the answer in front of an editor: what it writes in several steps is settled soon enough. */
const settings = { settleMs: 100, pollSeconds: 2 };

/** Follows the tree at `folder` from the reading that was told of already. A tree that went away is told on stderr, and waited for. */
export async function followTree(
  folder: string,
  previous: Tree,
  { options, io: surroundings }: Pick<Invocation, 'options' | 'io'>,
): Promise<ExitCode> {
  const io = { ...surroundings, lines: true };
  const stop = stopRequest(io);
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const root = resolve(io.cwd, folder);
  const show = async (reading: Tree | Missing): Promise<void> => {
    if (isMissing(reading)) return void io.stderr.write(`weir: ${escaped(reading.message.replaceAll(root, folder))}\n`);
    const started = io.elapsed();
    const loaded = await judgeTree(reading, { facts: offlineFacts(), git: false });
    const report = { ...checkReport(folder, loaded, io), seconds: (io.elapsed() - started) / 1000 };
    io.stderr.write(`-- ${io.now()}\n`);
    publish(report, options.output, io);
  };
  const following = watch(root, {
    ...settings,
    previous,
    read: (before) => readTree(root, { previous: before, overlay: options.env }),
    // The watch would only log it: what cannot be printed ends the command.
    onChange: (reading) => show(reading).catch(fail),
    log: (message) => io.stderr.write(`weir: ${escaped(message)}\n`),
  });
  try {
    await Promise.race([endOf(stop, io), failed]);
    return exitCodes.fine;
  } finally {
    await following.close();
    stop.over();
  }
}
