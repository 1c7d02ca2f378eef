// The steps of the guard that ask for whom, and for how long, an assertion is meant.
import { onlyChild, windowProblem } from './message.ts';
import { refuse, shown } from './refusal.ts';
import { instantOf } from './time.ts';
import { attribute, children, childrenNamed, saml, textOnly } from './xml.ts';

// OneTimeUse is kept for every assertion: each is remembered until it is too old. ProxyRestriction binds those who issue assertions of their own.
const understood = new Set(['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']);

/** Conditions: once, for now, and nothing in them that is not understood (SAML core 2.5.1). */
export function conditionsOf(assertion: Element, now: number): Element {
  const conditions = onlyChild('conditions', assertion, 'Conditions');
  const problem = windowProblem(conditions, now);
  if (problem) refuse('conditions', `the assertion is not for now: ${problem}`);
  const foreign = children(conditions).find((one) => one.namespaceURI !== saml || !understood.has(one.localName));
  if (foreign)
    refuse('conditions', `the condition ${shown(foreign.nodeName)} is not known here, and so may not be taken as met`);
  return conditions;
}

/** Every restriction of the audience, and there is one at least, names us among its values. */
export function checkAudience(conditions: Element, entityId: string): void {
  const restrictions = childrenNamed(conditions, saml, 'AudienceRestriction').map((one) =>
    childrenNamed(one, saml, 'Audience').map(textOnly),
  );
  if (restrictions.length > 0 && restrictions.every((values) => values.includes(entityId))) return;
  const came =
    restrictions
      .slice(0, 3)
      .map((values) => values.slice(0, 3).map(shown).join(' or '))
      .join(' and ') || 'nobody';
  refuse(
    'audience',
    `the assertion has to be for the audience ${shown(entityId)}, and is for ${came}: write the entity ID into the identity provider just as it is`,
  );
}

/** When the identity provider wants the session to have ended (RFC 3339): the earliest, if there are several. It may not be over. */
export function sessionEnd(assertion: Element, now: number): string | undefined {
  const statements = childrenNamed(assertion, saml, 'AuthnStatement');
  if (statements.length === 0)
    refuse(
      'session',
      'the assertion has no AuthnStatement: it says something of a person, but not that they have signed in',
    );
  const ends = statements
    .flatMap((one) => attribute(one, 'SessionNotOnOrAfter') ?? [])
    .map((text) => {
      const at = instantOf(text);
      if (at === undefined || at <= now)
        refuse(
          'session',
          `the session at the identity provider has to last, in UTC, and its SessionNotOnOrAfter is ${shown(text)}`,
        );
      return at;
    });
  return ends.length > 0 ? new Date(Math.min(...ends)).toISOString() : undefined;
}
