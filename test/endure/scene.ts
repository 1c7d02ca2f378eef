// What those who load a server share: the world, the oracle, and what opens its doors.
import type { Dice } from './dice.ts';
import type { Oracle } from './oracle.ts';
import type { World } from './world.ts';

/** What all know. */
export interface Scene {
  readonly world: World;
  readonly oracle: Oracle;
  /** The text of each token that was minted and not deleted since, by its key; and of some that were deleted. */
  readonly tokens: Map<string, string>;
  readonly revoked: string[];
  /** Cookies of sessions that must be open, with whose they are; and some that must not. */
  readonly sessions: Map<string, string>;
  readonly closed: string[];
}

/** The kinds of things that workers make, change and delete. */
export type Noun = 'User' | 'Team' | 'Instance' | 'Token';

/** A thing that a worker made, and the id that it was given. */
export interface Thing {
  readonly key: string;
  readonly id: string;
}

/** A worker: nobody else touches what it made. */
export interface Person {
  readonly scene: Scene;
  readonly dice: Dice;
  readonly number: number;
  readonly username: string;
  /** A part of a name that nothing has had. */
  fresh(): string;
  /** Its sessions, oldest first. */
  readonly cookies: string[];
  /** The team for its instances. */
  readonly home: { readonly slug: string; id: string };
  readonly own: Record<Noun, Thing[]>;
}

/** What everybody signs in with. */
export const password = 'seven grey herons';

/** The last few are enough to be tried. */
export function remember(list: string[], text: string): void {
  list.push(text);
  if (list.length > 20) list.shift();
}
