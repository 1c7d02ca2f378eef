// The composition root: gives the command line to its command, and tells of bugs in one line.
import { readFileSync } from 'node:fs';
import { exitCodes } from './cli/exit-codes.ts';
import { ioOf, stdoutNotWritten } from './cli/io.ts';
import { run } from './cli/run.ts';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

process.on('uncaughtException', (error) => end(error));
process.stdout.on('error', onLostOutput);
// Who does not read what we have to say ends nothing: a server goes on without its log.
process.stderr.on('error', () => {});

// Node would first take down what hears signals: one that comes at this very moment would end the process with another code.
process.once('beforeExit', (code) => process.exit(code));

try {
  process.exitCode = await run(process.argv.slice(2), ioOf(process, manifest.version));
} catch (error) {
  end(error);
}

/** Nobody can do anything about a bug but report it; what they need for that is one line. */
function end(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`weir: a bug in Weir: ${message.split('\n')[0]}, please report it (WEIR_DEBUG=1 shows where)\n`);
  if (process.env.WEIR_DEBUG === '1' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(exitCodes.bug);
}

/** Whoever reads our output may stop at any time (`weir plan | head`), and what it is written to may be full: neither is a bug. */
function onLostOutput(error: Error & { code?: string }): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`weir: ${stdoutNotWritten(error).message}\n`);
  process.exit(exitCodes.unavailable);
}
