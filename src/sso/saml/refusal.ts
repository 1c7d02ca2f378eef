// What the guard of SAML responses says when it refuses one.
import { printable } from '../../core/model/printable.ts';

/** The steps of the guard, in the order in which they are taken. `fault` is none of them: it is what could not be judged at all. */
export type GuardStep =
  | 'envelope'
  | 'markup'
  | 'parser'
  | 'structure'
  | 'encryption'
  | 'signatures'
  | 'signature-form'
  | 'signature-value'
  | 'version'
  | 'issue-instant'
  | 'issuer'
  | 'status'
  | 'destination'
  | 'in-response-to'
  | 'subject-confirmation'
  | 'conditions'
  | 'audience'
  | 'session'
  | 'name-id'
  | 'email-domain'
  | 'attributes'
  | 'fault';

/** Thrown by a step that refuses, and caught by the guard. */
export class Refusal extends Error {
  readonly step: GuardStep;

  constructor(step: GuardStep, reason: string) {
    super(reason);
    this.step = step;
  }
}

/** Refuses the response. `reason` is for the log: what was expected, what came, and what to do at the identity provider. */
export function refuse(step: GuardStep, reason: string): never {
  throw new Refusal(step, reason);
}

/** Something of a message, made fit for a log: in quotes, escaped, and no longer than 120 characters. */
export function shown(value: string | undefined): string {
  if (value === undefined) return 'nothing';
  return printable(JSON.stringify(value.length > 120 ? `${value.slice(0, 120)}…` : value));
}
