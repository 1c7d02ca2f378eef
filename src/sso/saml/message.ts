// The steps of the guard that ask whether a signed message is new, from the right sender, to us, and the answer to what was asked.
import type { Expected } from './expected.ts';
import { type GuardStep, refuse, shown } from './refusal.ts';
import type { Signed } from './signatures.ts';
import { instantOf, isWithin, oldest, skew } from './time.ts';
import { attribute, children, childrenNamed, saml, samlp, textOnly } from './xml.ts';

/** Version 2.0, in both. */
export function checkVersions({ response, assertion }: Signed): void {
  for (const element of [response, assertion])
    if (attribute(element, 'Version') !== '2.0')
      refuse(
        'version',
        `the ${element.localName} has to be of Version "2.0", and is of ${shown(attribute(element, 'Version'))}`,
      );
}

/** Both were issued just now. Answers when the assertion was, in milliseconds. */
export function issuedAt({ response, assertion }: Signed, now: number): number {
  const [, ofAssertion] = [response, assertion].map((element) => {
    const at = instantOf(attribute(element, 'IssueInstant'));
    if (at === undefined || at > now + skew || at < now - oldest)
      refuse(
        'issue-instant',
        `the IssueInstant of the ${element.localName} has to be at most ten minutes old and not ahead, in UTC, and is ${shown(attribute(element, 'IssueInstant'))} where it is ${new Date(now).toISOString()} here: compare the clocks`,
      );
    return at;
  });
  return ofAssertion ?? now;
}

/** Both come from the identity provider of the configuration. */
export function checkIssuers({ response, assertion }: Signed, issuer: string): void {
  for (const element of [response, assertion]) {
    const [found, ...others] = childrenNamed(element, saml, 'Issuer');
    const name = found && textOnly(found);
    if (name !== issuer || others.length > 0)
      refuse(
        'issuer',
        `the ${element.localName} has to come from the issuer ${shown(issuer)} alone, and comes from ${shown(name)}: write that as saml.issuer if it is your identity provider`,
      );
  }
}

/** The identity provider says that the sign-in succeeded. */
export function checkStatus({ response }: Signed): void {
  const statuses = childrenNamed(response, samlp, 'Status');
  const codes = statuses.flatMap((status) => childrenNamed(status, samlp, 'StatusCode'));
  const values = codes.map((code) => attribute(code, 'Value'));
  if (values.length === 1 && values[0] === 'urn:oasis:names:tc:SAML:2.0:status:Success') return;
  const inner = codes.flatMap((code) => children(code)).map((code) => attribute(code, 'Value'));
  const [text] = statuses.flatMap((status) => childrenNamed(status, samlp, 'StatusMessage')).map(textOnly);
  const words = text?.trim() ? `, and the message ${shown(text.trim())}` : '';
  const told = [values.join(' '), ...inner.slice(0, 3)].map(shown).join(' ');
  refuse('status', `the identity provider answers with the status ${told}${words}: its own log says why`);
}

/** The response is for our address. */
export function checkDestination({ response }: Signed, acsUrl: string): void {
  const destination = attribute(response, 'Destination');
  if (destination !== acsUrl)
    refuse(
      'destination',
      `the Destination has to be ${shown(acsUrl)}, and is ${shown(destination)}: write the ACS URL into the identity provider just as it is`,
    );
}

/** The response answers a request that this browser has made. Answers its id. */
export function requestOf({ response }: Signed, isPending: Expected['isPending']): string {
  const id = attribute(response, 'InResponseTo');
  if (id === undefined || id === '')
    refuse(
      'in-response-to',
      'the response answers no request (InResponseTo is missing): a sign-in has to begin at Weir, and not at the identity provider',
    );
  if (!isPending(id))
    refuse(
      'in-response-to',
      `the request ${shown(id)} is not one that this browser waits for: it is over ten minutes old, answered already, or of another browser or configuration`,
    );
  return id;
}

/** At least one bearer confirmation of the subject for us, for this request, and for now (SAML profiles 4.1.4.2). */
export function checkConfirmation(subject: Element, requestId: string, { acsUrl }: Expected, now: number): void {
  const problems = childrenNamed(subject, saml, 'SubjectConfirmation').map((one) =>
    confirmationProblem(one, requestId, acsUrl, now),
  );
  if (problems.includes(undefined)) return;
  refuse(
    'subject-confirmation',
    `the assertion has to hold a SubjectConfirmation for us: ${problems.slice(0, 3).join('; ') || 'it holds none'}`,
  );
}

function confirmationProblem(element: Element, requestId: string, acsUrl: string, now: number): string | undefined {
  if (attribute(element, 'Method') !== 'urn:oasis:names:tc:SAML:2.0:cm:bearer')
    return `its Method is ${shown(attribute(element, 'Method'))} and not bearer`;
  const [data, ...others] = childrenNamed(element, saml, 'SubjectConfirmationData');
  if (!data || others.length > 0) return 'it has to have one SubjectConfirmationData';
  const [recipient, answers] = [attribute(data, 'Recipient'), attribute(data, 'InResponseTo')];
  if (recipient !== acsUrl) return `its Recipient has to be ${shown(acsUrl)}, and is ${shown(recipient)}`;
  if (answers !== requestId) return `it has to answer the request ${shown(requestId)}, and answers ${shown(answers)}`;
  if (attribute(data, 'NotOnOrAfter') === undefined) return 'its NotOnOrAfter is missing';
  return windowProblem(data, now);
}

/** Why now is not in the window of an element with NotBefore and NotOnOrAfter; either may be missing, and then does not bound. */
export function windowProblem(element: Element, now: number): string | undefined {
  const [from, until] = [attribute(element, 'NotBefore'), attribute(element, 'NotOnOrAfter')];
  const [first, last] = [
    from === undefined ? -Infinity : instantOf(from),
    until === undefined ? Infinity : instantOf(until),
  ];
  if (first === undefined || last === undefined)
    return `its times have to be in UTC, and are ${shown(from)} and ${shown(until)}`;
  if (isWithin(now, first, last)) return undefined;
  return `it is valid from ${shown(from)} until ${shown(until)}, and here it is ${new Date(now).toISOString()}: compare the clocks`;
}

/** The single element of a name directly below, or a refusal. */
export function onlyChild(step: GuardStep, parent: Element, local: string): Element {
  const [found, ...others] = childrenNamed(parent, saml, local);
  if (found && others.length === 0) return found;
  return refuse(
    step,
    `there has to be one ${local} in the ${parent.localName}, and there are ${found ? others.length + 1 : 0}`,
  );
}
