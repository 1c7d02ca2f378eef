// How much memory all that an instance starts may hold, beyond the heap that its stack allows its flows.

/**
 * In MiB, from `memoryMb` of the stack. What a runtime holds beside its heap (its code, buffers, the young part of its heap) grows with it, and installing a
 * module takes some two hundred for a while.
 */
export function treeLimitMb(memoryMb: number): number {
  return Math.ceil(memoryMb * 1.5) + 256;
}

/** In MiB: how much each of the three folders for what is temporary may hold, where they are in memory. All of them together are no way past the limit. */
export function temporaryMb(memoryMb: number | undefined): number {
  return Math.floor((memoryMb === undefined ? 512 : treeLimitMb(memoryMb)) / 3);
}
