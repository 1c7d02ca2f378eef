// Where bytes of runtimes land: one buffer for all, as long as answers are small, and a larger one of its own for each that goes on.

/** Buffers that are used again and again. */
export interface Buffers {
  /** For all connections together: what stands in it is good until the next connection reads. */
  readonly shared: Buffer;
  /** For one connection alone, until it is given back. */
  take(): Buffer;
  giveBack(buffer: Buffer): void;
}

/** How many bytes are read at once: with the usual 64 KiB a large answer is read with a stop after each piece, at half the rate. */
const large = 262_144;

/** How many large buffers are kept for the next answers. */
const mostKept = 32;

export function createBuffers(): Buffers {
  const kept: Buffer[] = [];
  return {
    shared: Buffer.allocUnsafeSlow(65_536),
    take: () => kept.pop() ?? Buffer.allocUnsafeSlow(large),
    giveBack: (buffer) => {
      if (kept.length < mostKept) kept.push(buffer);
    },
  };
}
