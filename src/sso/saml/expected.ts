// What a SAML response has to agree with, and what the guard answers.
import type { Identity } from '../../core/model/identity.ts';
import type { GuardStep } from './refusal.ts';

/** What is known of the configuration, of the sign-in that was begun, and of the time. */
export interface Expected {
  /** Our address for responses: a configuration keeps the one that it had first. */
  readonly acsUrl: string;
  /** What we are called at the identity provider. */
  readonly entityId: string;
  /** What the identity provider calls itself. */
  readonly issuer: string;
  /** Certificates, each as PEM: several while the identity provider changes its key. */
  readonly certificates: readonly string[];
  readonly emailDomain: string;
  /** The `Name` of the attribute that carries groups. */
  readonly groupAttribute: string;
  /** Whether this request id is pending, ours for this configuration, and was begun by this browser. */
  readonly isPending: (requestId: string) => boolean;
  /** RFC 3339. */
  readonly now: string;
}

/** What the guard found. `reason` is for the log and for administrators: it never reaches who signs in. */
export type Guarded =
  | {
      readonly outcome: 'genuine';
      readonly identity: Identity;
      readonly requestId: string;
      readonly assertionId: string;
      /** RFC 3339: until when the assertion id must be remembered. After it the response is refused by its age alone. */
      readonly rememberUntil: string;
    }
  | { readonly outcome: 'refused'; readonly step: GuardStep; readonly reason: string };
