// Bytes that are written one behind the other, with room that grows with them.

/** What was written so far, and how more of it is. Numbers are written with their first byte first. */
export interface Growing {
  readonly size: number;
  bytes(more: Uint8Array): void;
  /** Characters that are a byte each. */
  text(characters: string): void;
  /** A number of four bytes. */
  word(value: number): void;
  /** A number of up to 53 bits in as few bytes as it needs: seven bits in each, the lowest first. */
  varint(value: number): void;
  written(): Buffer;
}

/** Begins with room for so many bytes. */
export function createGrowing(room: number): Growing {
  let all = Buffer.allocUnsafe(Math.max(16, room));
  let size = 0;
  const need = (more: number) => {
    if (size + more <= all.length) return;
    const larger = Buffer.allocUnsafe(Math.max(all.length * 2, size + more));
    all.copy(larger, 0, 0, size);
    all = larger;
  };
  return {
    get size() {
      return size;
    },
    bytes: (more) => {
      need(more.length);
      all.set(more, size);
      size += more.length;
    },
    text: (characters) => {
      need(characters.length);
      size += all.write(characters, size, 'latin1');
    },
    word: (value) => {
      need(4);
      size = all.writeUInt32BE(value, size);
    },
    varint: (value) => {
      need(8);
      let left = value;
      for (; left > 127; left = Math.floor(left / 128)) {
        all[size] = (left % 128) | 128;
        size += 1;
      }
      all[size] = left;
      size += 1;
    },
    written: () => all.subarray(0, size),
  };
}

/** Reads what `varint` wrote: the number, and where the next byte is. */
export function readVarint(bytes: Uint8Array, start: number): readonly [value: number, next: number] {
  let value = 0;
  let scale = 1;
  for (let at = start; at < bytes.length; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at + 1];
  }
  throw new RangeError('a number has no end');
}
