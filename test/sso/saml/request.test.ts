// What goes out to an identity provider: the request, and our metadata.
import { inflateRawSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serviceProviderMetadata } from '../../../src/sso/saml/metadata.ts';
import { loginRequestUrl } from '../../../src/sso/saml/request.ts';

const entityId = 'https://weir.example/sso/saml/good/metadata';
const acsUrl = 'https://weir.example/sso/saml/good/acs';
const now = '2026-11-21T10:00:00.000Z';
const urlTo = (signOnUrl: string) => loginRequestUrl({ signOnUrl, entityId, acsUrl, requestId: '_request', now });

function xmlIn(url: string): string {
  const field = new URL(url).searchParams.get('SAMLRequest') ?? '';
  return inflateRawSync(Buffer.from(field, 'base64')).toString();
}

const request = suite('a request');

request('asks for a person by email address, and for the response at our ACS', () => {
  assert.is(
    xmlIn(urlTo('https://idp.example/sso')),
    `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_request" Version="2.0" IssueInstant="${now}" Destination="https://idp.example/sso" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" AssertionConsumerServiceURL="${acsUrl}"><saml:Issuer>${entityId}</saml:Issuer><samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress" AllowCreate="true"/></samlp:AuthnRequest>`,
  );
});

request('leaves the provider’s own address as it is written', () => {
  for (const [signOnUrl, before, after] of [
    ['https://idp.example/sso', 'https://idp.example/sso?SAMLRequest=', ''],
    ['https://idp.example/sso?app=a%20b&x', 'https://idp.example/sso?app=a%20b&x&SAMLRequest=', ''],
    ['https://idp.example/sso?', 'https://idp.example/sso?&SAMLRequest=', ''],
    ['https://idp.example/#/sso', 'https://idp.example/?SAMLRequest=', '#/sso'],
  ] as const) {
    const url = urlTo(signOnUrl);
    assert.ok(url.startsWith(before) && url.endsWith(after), url);
    assert.not.match(url, /RelayState/);
  }
});

request('takes nothing in an address for markup, nor for a place to be filled', () => {
  const xml = xmlIn(urlTo('https://idp.example/sso?a="><x>&b={Issuer}{ID}$&'));
  assert.match(xml, / Destination="https:\/\/idp\.example\/sso\?a=&quot;&gt;&lt;x&gt;&amp;b=\{Issuer\}\{ID\}\$&amp;" /);
});

request.run();

const metadata = suite('our metadata');

metadata('say where responses go, that assertions are signed, and how people are named', () => {
  const xml = serviceProviderMetadata({ entityId, acsUrl: `${acsUrl}?a&"b"` });
  assert.match(
    xml,
    new RegExp(`^<EntityDescriptor entityID="${entityId}" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"`),
  );
  assert.match(xml, /<SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" /);
  assert.match(xml, /<NameIDFormat>urn:oasis:names:tc:SAML:1\.1:nameid-format:emailAddress<\/NameIDFormat>/);
  assert.match(
    xml,
    / Binding="urn:oasis:names:tc:SAML:2\.0:bindings:HTTP-POST" Location="[^"]*\/acs\?a&amp;&quot;b&quot;"/,
  );
});

metadata.run();
