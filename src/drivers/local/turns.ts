// Turns: of each instance, one piece of work comes after another.
import { told } from './told.ts';

/** Does it when all that came before it is done; `turns` holds the last of each. Rejects in words where the system refuses. */
export async function inTurn<T>(
  { turns }: { readonly turns: Map<string, Promise<unknown>> },
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const before = turns.get(id) ?? Promise.resolve();
  const mine = before.then(work).catch((error: unknown) => {
    throw told(error);
  });
  const settled = mine.catch(() => {});
  turns.set(id, settled);
  settled.then(() => {
    if (turns.get(id) === settled) turns.delete(id);
  });
  return mine;
}
