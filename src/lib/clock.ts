// The clock: where the rest of the program gets the time from, so that a test can give another.

/** Answers the time now: RFC 3339, UTC, in milliseconds. */
export type Clock = () => string;
