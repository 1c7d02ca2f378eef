// Room for long bodies: they are held in memory while they come and until they are answered, and whoever sends slowly holds one for long. So room is taken first.
import type { Caller } from '../core/access/actor.ts';
import { Problem } from './errors.ts';

/** Takes room for a body of so many bytes at most, before it is read; answers what gives it back, once. Throws `unavailable` where there is none. */
export type BodyRoom = (caller: Caller, bytes: number) => () => void;

/** What is shorter takes none: the number of connections bounds it. In bytes. */
export const longBody = 256 * 1024;

/** How many bytes all may hold, and how many one caller. */
const bounds = { all: 64 * 1024 * 1024, perCaller: 32 * 1024 * 1024 } as const;

/** Makes one. */
export function createBodyRoom(): BodyRoom {
  const held = new Map<string, number>();
  let all = 0;
  return (caller, bytes) => {
    const key = keyOf(caller);
    const own = held.get(key) ?? 0;
    if (own + bytes > bounds.perCaller || all + bytes > bounds.all) throw full();
    held.set(key, own + bytes);
    all += bytes;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      all -= bytes;
      const rest = (held.get(key) ?? 0) - bytes;
      if (rest > 0) held.set(key, rest);
      else held.delete(key);
    };
  };
}

/** How long a body can get, by what its head says; nothing where there is none. It is never read further than the route allows. */
export function longestBody(
  headers: { readonly 'content-length'?: string | undefined; readonly 'transfer-encoding'?: string | undefined },
  limit: number,
): number {
  if (headers['transfer-encoding'] !== undefined) return limit;
  return Math.min(Number(headers['content-length'] ?? 0), limit);
}

/** A user is one caller, whatever tokens and sessions they have; so are all devices of a team. */
function keyOf(caller: Caller): string {
  if (caller.kind === 'user') return `user ${caller.user.id}`;
  if (caller.kind === 'device') return `team ${caller.device.spec.team}`;
  return caller.kind;
}

function full(): Problem {
  const detail = 'Too many long bodies are being sent now: try again later.';
  return new Problem('unavailable', { detail, headers: { 'retry-after': '5' } });
}
