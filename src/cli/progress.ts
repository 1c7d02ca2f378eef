// Says on a terminal what takes long, and takes it back when it is done.
import type { Io } from './io.ts';

/** Runs some work; where it takes more than half a second, a terminal shows what goes on and for how long. */
export async function withProgress<T>(io: Io, what: string, work: () => Promise<T>): Promise<T> {
  if (!io.stderr.isTerminal || io.quiet) return work();
  const started = io.elapsed();
  let shown = false;
  const timer = setInterval(() => {
    shown = true;
    io.stderr.write(`\r${what} (${Math.round((io.elapsed() - started) / 1000)} s)`);
  }, 500);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (shown) io.stderr.write('\r\u001b[K');
  }
}
