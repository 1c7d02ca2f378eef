// The clock: where the rest of the program gets the time from, so that a test can give another.

/** Answers the time now: RFC 3339, UTC, in milliseconds. */
export type Clock = () => string;

/** The clock of this machine. */
export const systemClock: Clock = () => new Date().toISOString();

/** A time so many milliseconds after (or, when negative, before) another. */
export function later(instant: string, milliseconds: number): string {
  return new Date(Date.parse(instant) + milliseconds).toISOString();
}
