// Deletes an access token: revoked by its owner or an admin, or past its end.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';

/** Changes nothing where the token is gone already. */
export function deleteToken(id: string): Proposal {
  return (view) => {
    const token = view.get('Token', id);
    return token ? [deleted(token)] : [];
  };
}
