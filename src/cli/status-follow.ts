// Prints the status again whenever it is another, until somebody interrupts, or nobody reads it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigStatus } from '../control/config-status.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { failureOf, isTransient } from './failure.ts';
import { escaped } from './output/escape.ts';
import { publish } from './publish.ts';
import { endOf, stopRequest } from './stop.ts';
import type { Invocation } from './verb.ts';

const intervalMs = 1000;

/**
 * Shows each status that differs from the one before. Throws where the first cannot be had; later a server or store that is away for a while is
 * told on stderr, and waited for.
 */
export async function followStatus(
  read: () => Promise<ConfigStatus>,
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<ExitCode> {
  const end = endOf(stopRequest(io), io);
  const show = shower({ options, io });
  let trouble = '';
  for (let isFirst = true; ; isFirst = false) {
    const found = await Promise.race([end, settled(read())]);
    if (found === undefined) break;
    if ('status' in found) {
      trouble = '';
      show(found.status);
    } else if (isFirst || !isTransient(found.error)) throw found.error;
    else {
      const words = failureOf(found.error)?.report.message ?? '';
      if (words !== trouble) io.stderr.write(`weir: ${escaped(words)}\n`);
      trouble = words;
    }
    await Promise.race([end, sleep(intervalMs, undefined, { ref: true })]);
  }
  // A question that is under way holds nobody up.
  setTimeout(() => io.exit(exitCodes.fine), 100).unref();
  return exitCodes.fine;
}

async function settled(
  asked: Promise<ConfigStatus>,
): Promise<{ readonly status: ConfigStatus } | { readonly error: unknown }> {
  try {
    return { status: await asked };
  } catch (error) {
    return { error };
  }
}

/** On a terminal a block each; else a line each, which other programs read as it comes. */
function shower({ options, io }: Pick<Invocation, 'options' | 'io'>): (status: ConfigStatus) => void {
  const { isTerminal } = io.stdout;
  let shown: string | undefined;
  return (status) => {
    const text = JSON.stringify(status);
    if (text === shown) return;
    if (shown !== undefined && isTerminal) io.stdout.write('\n');
    publish({ type: 'status', status }, options.output, { ...io, lines: !isTerminal });
    shown = text;
  };
}
