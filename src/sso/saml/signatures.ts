// The step of the guard that verifies the signatures, and reads again what they sign: from here on nothing else is looked at.
import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { checkMarkup } from './markup.ts';
import { refuse, shown } from './refusal.ts';
import { canonicalizations, digestMethods, enveloped, signatureMethods } from './signature-form.ts';
import type { Signatures, Skeleton } from './structure.ts';
import { attribute, childrenNamed, isNamed, parsed, saml, samlp } from './xml.ts';

/** What is signed, parsed from the very octets that the identity provider signed. */
export interface Signed {
  /** The response: its attributes, Issuer and Status. The assertion in it is read from `assertion`. */
  readonly response: Element;
  readonly assertion: Element;
}

/** Both signatures verified, each against every certificate of the configuration, and never against a key of the message. */
export function signedContent(
  text: string,
  { responseId, assertionId }: Skeleton,
  { ofResponse, ofAssertion }: Signatures,
  certificates: readonly string[],
): Signed {
  const keys = certificates.flatMap((certificate) => keyOf(certificate) ?? []);
  if (keys.length === 0) invalid('the configuration has no certificate that can be used');
  const response = contentOf('response', text, ofResponse, responseId, keys);
  const assertion = contentOf('assertion', text, ofAssertion, assertionId, keys);
  // After the steps before none of this can be otherwise; and it is here that it would matter.
  const inside = childrenNamed(response, saml, 'Assertion').map((one) => attribute(one, 'ID'));
  if (!isNamed(response, samlp, 'Response') || !isNamed(assertion, saml, 'Assertion'))
    invalid('something else is signed');
  if (inside.length !== 1 || inside[0] !== assertionId) invalid('the signed response holds another assertion');
  return { response, assertion };
}

/** The public key of a certificate. Its dates are not looked at: see the guard. */
function keyOf(certificate: string): KeyObject | undefined {
  try {
    return new X509Certificate(certificate).publicKey;
  } catch {
    return undefined;
  }
}

function contentOf(
  name: 'response' | 'assertion',
  text: string,
  signature: Element,
  id: string,
  keys: readonly KeyObject[],
): Element {
  const verifier = verifierWith(keys);
  if (!holds(verifier, signature, text, name)) invalid(`the ${name} was changed after it was signed`);
  const [content, ...others] = verifier.getSignedReferences();
  if (content === undefined || others.length > 0) return invalid(`that of the ${name} does not sign one thing`);
  checkMarkup(content);
  const element = parsed(content);
  if (attribute(element, 'ID') !== id) invalid(`that of the ${name} signs something else`);
  return element;
}

/** What verifies one signature, by the methods that are taken alone. */
function verifierWith(keys: readonly KeyObject[]): SignedXml {
  const signed = new SignedXml({ publicCert: 'none: see verifierOf' });
  // SAML has one kind of id. Each kind that the library looks for costs it a walk through the whole document.
  signed.idAttributes = ['ID'];
  signed.SignatureAlgorithms = Object.fromEntries(
    Array.from(signatureMethods, ([uri, { key, hash }]) => [uri, verifierOf(uri, hash, ofType(keys, key))]),
  );
  signed.HashAlgorithms = Object.fromEntries(Array.from(digestMethods, ([uri, hash]) => [uri, digestOf(uri, hash)]));
  signed.CanonicalizationAlgorithms = Object.fromEntries(
    Object.entries(signed.CanonicalizationAlgorithms).filter(
      ([uri]) => uri === enveloped || canonicalizations.has(uri),
    ),
  );
  return signed;
}

function holds(signed: SignedXml, signature: Element, text: string, name: string): boolean {
  try {
    signed.loadSignature(signature);
    return signed.checkSignature(text);
  } catch (error) {
    return invalid(`that of the ${name} fails, because ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.startsWith('invalid signature: the signature value')
    ? 'no certificate of the configuration belongs to the key that made it: write the one that the identity provider signs with now as saml.certificate'
    : shown(message);
}

function ofType(keys: readonly KeyObject[], type: 'rsa' | 'ec'): readonly KeyObject[] {
  return keys.filter((key) => key.asymmetricKeyType === type);
}

/** The library asks once for each signature, and every key is tried here: so canonicalization is paid once, however many certificates there are. */
function verifierOf(uri: string, hash: string, keys: readonly KeyObject[]) {
  return class {
    getAlgorithmName = () => uri;
    getSignature = (): string => {
      throw new Error('nothing is signed here');
    };
    verifySignature = (material: string, _key: unknown, value: string): boolean => {
      const [data, signature] = [Buffer.from(material), Buffer.from(value, 'base64')];
      // How ECDSA is written in XML (RFC 4050, section 3.3); RSA does not look at it.
      return keys.some((key) => verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature));
    };
  };
}

function digestOf(uri: string, hash: string) {
  return class {
    getAlgorithmName = () => uri;
    getHash = (octets: string): string => createHash(hash).update(octets).digest('base64');
  };
}

function invalid(what: string): never {
  refuse('signature-value', `invalid document signature: ${what}`);
}
