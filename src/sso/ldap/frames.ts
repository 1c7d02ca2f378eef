// The bytes of a connection, cut into whole messages, within bounds.
import { type Frame, frameLength, readFrame } from './ber.ts';
import { Trouble } from './trouble.ts';

export interface FrameLimits {
  /** The longest message, in bytes. */
  readonly frameBytes: number;
  /** The most that a connection may bring, in bytes. */
  readonly bytes: number;
  /** The most messages that a connection may bring. */
  readonly frames: number;
}

export interface FrameReader {
  /** The messages that are whole with this chunk. Throws trouble for what is no message, and beyond the limits. */
  readonly take: (chunk: Buffer) => Frame[];
  /** How many bytes of an unfinished message are held. */
  readonly held: () => number;
}

/** Reads one connection. What it holds is bounded by `frameBytes` and one chunk, however small the pieces that come. */
export function frameReader(limits: FrameLimits): FrameReader {
  const box = { bytes: Buffer.alloc(0), used: 0, total: 0, frames: 0 };
  const take = (chunk: Buffer): Frame[] => {
    box.total += chunk.length;
    if (box.total > limits.bytes) throw new Trouble('flood');
    append(box, chunk);
    const frames = [...cut(box, limits.frameBytes)];
    box.frames += frames.length;
    if (box.frames > limits.frames) throw new Trouble('flood');
    return frames;
  };
  return { take, held: () => box.used };
}

interface Box {
  bytes: Buffer;
  used: number;
}

function append(box: Box, chunk: Buffer): void {
  const needed = box.used + chunk.length;
  if (needed > box.bytes.length) {
    const larger = Buffer.alloc(Math.max(needed, 2 * box.bytes.length, 4096));
    box.bytes.copy(larger, 0, 0, box.used);
    box.bytes = larger;
  }
  chunk.copy(box.bytes, box.used);
  box.used = needed;
}

function* cut(box: Box, most: number): Iterable<Frame> {
  let at = 0;
  for (;;) {
    const rest = box.bytes.subarray(at, box.used);
    const length = frameLength(rest, most);
    if (length === undefined || length > rest.length) break;
    yield readFrame(Buffer.from(rest.subarray(0, length)));
    at += length;
  }
  box.bytes.copyWithin(0, at, box.used);
  box.used -= at;
}
