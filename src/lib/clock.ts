// The clock: where the rest of the program gets the time from, so that a test can give another.

/** Answers the time now: RFC 3339, UTC, in milliseconds. */
export type Clock = () => string;

/** The clock of this machine; the text is made once a millisecond. */
export function systemClock(): Clock {
  let [ms, text] = [Number.NaN, ''];
  return () => {
    const now = Date.now();
    if (now !== ms) [ms, text] = [now, new Date(now).toISOString()];
    return text;
  };
}
