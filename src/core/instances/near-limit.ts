// Whether an instance stays near a limit: not for one peak, and not anew each time that it swings around the mark.

/** How a share of a limit has been: whether it counts as near, and how many looks in a row have said otherwise. */
export interface Nearness {
  readonly near: boolean;
  readonly streak: number;
}

/** A limit that nobody has come near to. */
export const farFrom: Nearness = { near: false, streak: 0 };

/** From this share of the limit on it is near. */
export const nearShare = 0.9;

/** Below this share it is not any more. */
const farShare = 0.75;

/** How many looks in a row it takes: two minutes. */
export const looksInARow = 8;

/** The nearness to a limit that nothing swings around: it is so at once. */
export function nearnessNow({ near }: Nearness, share: number): Nearness {
  return { near: near ? share >= farShare : share >= nearShare, streak: 0 };
}

/** The nearness after one more look; `share` is what is used over what may be. */
export function nearnessAfter({ near, streak }: Nearness, share: number): Nearness {
  const otherwise = near ? share < farShare : share >= nearShare;
  if (!otherwise) return { near, streak: 0 };
  return streak + 1 >= looksInARow ? { near: !near, streak: 0 } : { near, streak: streak + 1 };
}
