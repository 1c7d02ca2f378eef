// A map of which only the newest entries are kept.

/** Puts an entry behind all others, and takes out the first where there are more than `most` then. */
export function putNewest<K, V>(entries: Map<K, V>, key: K, value: V, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
