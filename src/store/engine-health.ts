// How an engine is, and why it takes no commit where it does not.
import { damageWords } from './damage.ts';
import type { Engine, Room } from './engine-state.ts';
import { diskFullWords, NotKept, OutcomeUnknown, type Store } from './store.ts';

/** Why a commit with an id is not taken now; nothing where it is. */
export function refusalOf(engine: Engine, id: string): Error | undefined {
  if (engine.evaluating) return new Error('a transaction cannot commit: it has to be pure');
  const why = whyNot(engine);
  if (why === undefined) return undefined;
  return engine.unknown.has(id)
    ? new OutcomeUnknown(`it is not known whether ${id} was kept: ${why}`)
    : new NotKept(why);
}

/** Why nothing is written any more; nothing where it is. */
export function whyNot(engine: Engine): string | undefined {
  if (engine.closing !== undefined) return 'the store is closed';
  const failure = failureOf(engine);
  return failure === undefined ? undefined : `the store is read-only: ${failure}`;
}

/** What failed for good, or why nothing would be found again. */
function failureOf({ failure, backing }: Engine): string | undefined {
  return failure ?? backing.lost?.();
}

/** What the store says of itself. */
export function healthOf(engine: Engine): ReturnType<Store['health']> {
  const { backing, closing, view } = engine;
  const journalBytes = backing.journalBytes?.();
  const room = roomOf(engine);
  const low = room === 'enough' ? {} : ({ isLow: true } as const);
  const [first, ...others] = backing.damage?.() ?? [];
  const damage = first && { damage: { count: 1 + others.length, first: damageWords(first) } };
  const common = {
    position: view.position,
    ...(journalBytes === undefined ? {} : { journalBytes }),
    ...low,
    ...damage,
    ...(backing.usage && { usage: backing.usage() }),
  };
  if (closing !== undefined) return { state: 'closed', ...common };
  const reason = failureOf(engine) ?? (room === 'none' ? diskFullWords : undefined);
  if (reason === undefined) return { state: 'ready', ...common };
  return { state: 'read-only', reason, ...common, ...(engine.failure === undefined && { goesOn: true }) };
}

/** Whether the disk has room, as far as that matters here. */
export function roomOf({ backing }: Engine): Room {
  return backing.room?.() ?? 'enough';
}
