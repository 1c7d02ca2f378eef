// The guard of SAML sign-ins: a checklist that a response has to pass, whole, before anything that it says is believed.
import { described } from './attributes.ts';
import { checkAudience, conditionsOf, sessionEnd } from './conditions.ts';
import { opened } from './envelope.ts';
import type { Expected, Guarded } from './expected.ts';
import { checkMarkup } from './markup.ts';
import {
  checkConfirmation,
  checkDestination,
  checkIssuers,
  checkStatus,
  checkVersions,
  issuedAt,
  requestOf,
} from './message.ts';
import { Refusal, refuse, shown } from './refusal.ts';
import { checkForm } from './signature-form.ts';
import { signedContent } from './signatures.ts';
import { signaturesOf, skeletonOf } from './structure.ts';
import { addressOf, checkDomain, subjectOf } from './subject.ts';
import { oldest, skew } from './time.ts';
import { parsed } from './xml.ts';

export type { Expected, Guarded } from './expected.ts';
export type { GuardStep } from './refusal.ts';

/**
 * Judges the form field `SAMLResponse` as it came from a browser (SAML profiles 4.1.4; specification 2.8). Never throws, and keeps nothing: whoever
 * takes an identity from here must consume the request id, and remember the assertion id, before anybody is signed in.
 *
 * The dates of certificates are not looked at. A certificate in a configuration is nothing but a way to write down a key that an administrator
 * trusts (SAML metadata interoperability profile 2.6.1), identity providers sign for years with self-signed ones, and one that ran out overnight
 * would lock everybody out and protect nobody: who trusts a key no longer takes it out of the configuration.
 */
export function guardResponse(encoded: unknown, expected: Expected): Guarded {
  try {
    return passed(encoded, expected);
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', step: error.step, reason: error.message };
    return { outcome: 'refused', step: 'fault', reason: `the response could not be judged: ${shown(String(error))}` };
  }
}

function passed(encoded: unknown, expected: Expected): Guarded {
  const now = Date.parse(expected.now);
  // Every comparison with no number is false, and so would find nothing wrong.
  if (Number.isNaN(now)) refuse('fault', `the time ${shown(expected.now)} is none`);

  // What came is text of a bearable size, in one encoding, and XML without anything that needs interpreting.
  const text = opened(encoded);
  checkMarkup(text);
  const document = parsed(text);

  // There is one of everything, where it belongs; and both the response and the assertion are signed, in the one way that is taken.
  const skeleton = skeletonOf(document);
  const signatures = signaturesOf(skeleton);
  checkForm(signatures.ofResponse, skeleton.responseId);
  checkForm(signatures.ofAssertion, skeleton.assertionId);

  // From here on only what was signed is read, from the octets that were signed.
  const signed = signedContent(text, skeleton, signatures, expected.certificates);

  // It is new, from the right sender, a success, to us, and the answer to what this browser asked.
  checkVersions(signed);
  const issued = issuedAt(signed, now);
  checkIssuers(signed, expected.issuer);
  checkStatus(signed);
  checkDestination(signed, expected.acsUrl);
  const requestId = requestOf(signed, expected.isPending);

  // The assertion is about somebody who carries it, here and now, in answer to the same request; and it is meant for us.
  const subject = subjectOf(signed.assertion);
  checkConfirmation(subject, requestId, expected, now);
  const conditions = conditionsOf(signed.assertion, now);
  checkAudience(conditions, expected.entityId);
  const sessionEndsAt = sessionEnd(signed.assertion, now);

  // That somebody is named by an address, and by one that this identity provider may speak for.
  const email = addressOf(subject);
  checkDomain(email, expected.emailDomain);
  const about = described(signed.assertion, expected.groupAttribute);

  return {
    outcome: 'genuine',
    identity: {
      email,
      username: email.slice(0, email.indexOf('@')),
      ...about,
      ...(sessionEndsAt !== undefined && { sessionEndsAt }),
    },
    requestId,
    assertionId: skeleton.assertionId,
    rememberUntil: new Date(issued + oldest + skew).toISOString(),
  };
}
