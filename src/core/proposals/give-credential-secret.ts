// Gives an instance what its runtime encrypts credentials with, before it is first started.
import { updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';

/** Changes nothing where it has one: what is encrypted with that could not be read any more. */
export function giveCredentialSecret(id: string, secret: string): Proposal {
  return (view) => {
    const current = view.get('Instance', id);
    if (!current || current.spec.credentialSecret !== undefined) return [];
    return [updated(current, { ...current, spec: { ...current.spec, credentialSecret: secret } })];
  };
}
