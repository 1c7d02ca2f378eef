// How refused messages are made: each is the genuine one with one thing changed, and signed anew unless it says otherwise.
import type { Expected } from '../../../../src/sso/saml/guard.ts';
import {
  attributes,
  audience,
  emailFormat,
  genuineAcs,
  idp,
  type Parts,
  posted,
  type Signing,
  written,
} from '../signer.ts';

/** A message, and what is expected otherwise than usual. */
export interface Refused {
  readonly says: string;
  readonly encoded: unknown;
  readonly expecting?: Partial<Expected>;
}

export const xml = written();
export const dsig = 'http://www.w3.org/2000/09/xmldsig#';
export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const enveloped = `${dsig}enveloped-signature`;
export const more = 'http://www.w3.org/2001/04/xmldsig-more#';

export const raw = (says: string, text: string | Buffer): Refused => ({ says, encoded: posted(text) });
export const parts = (says: string, changes: Partial<Parts>): Refused => raw(says, written(changes));
export const signedBy = (says: string, signing: Signing): readonly Refused[] => [
  raw(`${says}, on the response`, written({}, { response: { key: idp.privateKey, ...signing } })),
  raw(`${says}, on the assertion`, written({}, { assertion: { key: idp.privateKey, ...signing } })),
];
export const inserted = (says: string, before: string, text: string): Refused =>
  raw(says, xml.replace(before, `${text}${before}`));
export const group = (text: string) => written({ attributes: attributes({ 'svc-roles': [text] }) });
export const named = (says: string, nameId: string): Refused => parts(says, { nameId });
export const address = (text: string): Refused =>
  parts(`the address ${JSON.stringify(text)}`, {
    nameId: `<saml:NameID Format="${emailFormat}">${text}</saml:NameID>`,
  });
export const advice = (inside: string) => written({ inAssertion: `<saml:Advice>${inside}</saml:Advice>` });
export const data = { InResponseTo: '_request', NotOnOrAfter: '2026-11-21T12:05:00Z', Recipient: genuineAcs };
export const validity = { NotBefore: '2026-11-21T11:59:30Z', NotOnOrAfter: '2026-11-21T12:05:00Z' };
export const restricted = audience('https://weir.example/sso/saml/good');
