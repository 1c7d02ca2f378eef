// Ends a session: its user signs out, ends it from another device, or its time has come.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';

/** Changes nothing where the session is gone already. */
export function deleteSession(id: string): Proposal {
  return (view) => {
    const session = view.get('Session', id);
    return session ? [deleted(session)] : [];
  };
}
