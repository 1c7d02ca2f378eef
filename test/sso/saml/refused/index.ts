// Messages that the guard refuses, by the step that does.
import type { GuardStep } from '../../../../src/sso/saml/guard.ts';
import { posted } from '../signer.ts';
import {
  attributesStep,
  audienceStep,
  conditionsStep,
  emailDomain,
  nameId,
  session,
  subjectConfirmation,
} from './assertion.ts';
import { destination, inResponseTo, issueInstant, issuer, status, version } from './message.ts';
import { type Refused, xml } from './parts.ts';
import { form, value } from './signing.ts';
import { encryption, signatures, structure } from './structure.ts';
import { envelope, markup, parser } from './text.ts';

const fault: readonly Refused[] = [
  { says: 'a time that is none', encoded: posted(xml), expecting: { now: 'soon' } },
  {
    says: 'a question that nobody can answer',
    encoded: posted(xml),
    expecting: {
      isPending: () => {
        throw new Error('down');
      },
    },
  },
];

/** By step, in the order of the guard. */
export const refused: Readonly<Record<GuardStep, readonly Refused[]>> = {
  envelope,
  markup,
  parser,
  structure,
  encryption,
  signatures,
  'signature-form': form,
  'signature-value': value,
  version,
  'issue-instant': issueInstant,
  issuer,
  status,
  destination,
  'in-response-to': inResponseTo,
  'subject-confirmation': subjectConfirmation,
  conditions: conditionsStep,
  audience: audienceStep,
  session,
  'name-id': nameId,
  'email-domain': emailDomain,
  attributes: attributesStep,
  fault,
};
