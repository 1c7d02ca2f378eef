// The write door: every change of state that somebody asks for goes through here.
import type { AnyProposal, Context } from '../core/model/proposal.ts';
import type { Facts } from '../core/rules/facts.ts';
import { type Receipt, Refused, type Store } from '../store/store.ts';
import { recordsOf, transact } from './transact.ts';

/** What the door needs: where state is kept, and what rules may know of the world. */
export interface Door {
  readonly store: Store;
  readonly facts: () => Facts;
}

/** What a proposal came to once it is durable: the result is that of the evaluation which was kept. */
export type Submitted<R> = Receipt<R> & { readonly result: R };

/**
 * Keeps what a proposal wants, all or nothing, with an audit entry for each change. Resolves once it is durable.
 * Throws `Refused` with every violation, `NotKept` (safe to repeat) or `OutcomeUnknown`.
 */
export async function submit<R = undefined>(
  { store, facts }: Door,
  proposal: AnyProposal<R>,
  context: Context,
): Promise<Submitted<R>> {
  const receipt = await store.commit(
    (view) => {
      const tried = transact(view, proposal, context, { facts: facts() });
      if (tried.violations.length > 0) throw new Refused(tried.violations);
      return { changes: tried.changes, records: recordsOf(tried, context), result: tried.result };
    },
    { id: context.newId() },
  );
  // An id of its own is never committed twice.
  return { ...receipt, result: receipt.result as R };
}
