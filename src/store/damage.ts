// What is wrong with the files of a store: each finding has its file and byte.

/** One thing that is not what was written. */
export interface Damage {
  readonly path: string;
  readonly offset: number;
  readonly why: string;
}

/** One of them in words. */
export function damageWords({ path, offset, why }: Damage): string {
  return `${path} at byte ${offset}: ${why}`;
}
