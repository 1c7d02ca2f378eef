// The address of an account that was registered with that of somebody else: it is nobody's, so that whoever registered learns nothing.
import type { Resource } from './resource.ts';

/** A domain that never has mail (RFC 2606). */
const domain = '@unclaimed.invalid';

/** The address that such an account has, by its id. */
export function unclaimedAddress(id: string): string {
  return id.toLowerCase() + domain;
}

/** Whether a user has such an address: no mail goes there. */
export function isUnclaimed({ spec }: Resource<'User'>): boolean {
  return spec.email.endsWith(domain);
}
