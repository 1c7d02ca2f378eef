// One YAML document as it was read: a plain value, and where each part of it stands.
import type { Source } from './finding.ts';

/** A document of a tree. `value` holds plain JSON data only, deeply frozen in spirit: nobody writes to it. */
export interface Document {
  /** Relative to the tree, with `/`. */
  readonly file: string;
  readonly value: unknown;
  /**
   * The position of what a JSON Pointer names (`''` is the whole document).
   * `key`: the key of a mapping entry; `value`: its value. Where nothing stands at the pointer, the nearest enclosing item that exists.
   */
  locate(pointer: string, part: 'key' | 'value'): Source;
  /**
   * The scalar that a JSON Pointer names, as it is written (`1.10`, `yes`, `'a'` with its quotes), so that a hint can quote it.
   * `undefined` where nothing stands, and for mappings and lists.
   */
  raw(pointer: string): string | undefined;
}
