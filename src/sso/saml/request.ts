// The request that sends a browser to an identity provider: an AuthnRequest by the redirect binding.
import { deflateRawSync } from 'node:zlib';
import samlify from 'samlify';
import type { SamlAddresses } from '../../core/model/saml-addresses.ts';
import { emailFormat, postBinding } from './names.ts';

/** What is asked, of whom. `requestId` must be fresh and unguessable; `now` is RFC 3339, UTC. */
export interface LoginRequest extends Pick<SamlAddresses, 'acsUrl' | 'entityId'> {
  readonly signOnUrl: string;
  readonly requestId: string;
  readonly now: string;
}

/**
 * The address to go to (SAML bindings 3.4): the person is to be named by email address, and the response posted to our ACS. There is no RelayState:
 * where to go afterwards stays with the browser.
 */
export function loginRequestUrl(request: LoginRequest): string {
  const { signOnUrl } = request;
  const deflated = deflateRawSync(authnRequest(request)).toString('base64');
  // The provider's own query stays as it is written.
  const [address = '', fragment] = signOnUrl.split('#', 2);
  const joint = address.includes('?') ? '&' : '?';
  return `${address}${joint}SAMLRequest=${encodeURIComponent(deflated)}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** Made from samlify's template and by its escaping; the id and the time are ours, and what has no value is left out. */
function authnRequest({ signOnUrl, requestId, acsUrl, entityId, now }: LoginRequest): string {
  return samlify.SamlLib.replaceTagsByValue(samlify.SamlLib.defaultLoginRequestTemplate.context, {
    ID: requestId,
    ForceAuthn: undefined,
    IssueInstant: now,
    ProtocolBinding: postBinding,
    AssertionConsumerServiceURL: acsUrl,
    AssertionConsumerServiceIndex: undefined,
    Issuer: entityId,
    NameIDFormat: emailFormat,
    AllowCreate: true,
    // Last, so that nothing in it is taken for one of the others.
    Destination: signOnUrl,
  });
}
