// The step of the guard that reads how something is signed, before anything is computed: one way is taken, and whatever else is refused.
import { refuse, shown } from './refusal.ts';
import { attribute, children, ds, excC14n, isNamed, textOnly } from './xml.ts';

const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';

/** How a signature is made: with which kind of key, over which digest. What is not here is refused: SHA-1, MD5, HMAC, DSA. */
export const signatureMethods: ReadonlyMap<string, { readonly key: 'rsa' | 'ec'; readonly hash: string }> = new Map([
  [`${more}rsa-sha256`, { key: 'rsa', hash: 'sha256' }],
  [`${more}rsa-sha384`, { key: 'rsa', hash: 'sha384' }],
  [`${more}rsa-sha512`, { key: 'rsa', hash: 'sha512' }],
  [`${more}ecdsa-sha256`, { key: 'ec', hash: 'sha256' }],
  [`${more}ecdsa-sha384`, { key: 'ec', hash: 'sha384' }],
  [`${more}ecdsa-sha512`, { key: 'ec', hash: 'sha512' }],
]);

/** Digests of what is signed. */
export const digestMethods: ReadonlyMap<string, string> = new Map([
  [`${xmlenc}sha256`, 'sha256'],
  [`${more}sha384`, 'sha384'],
  [`${xmlenc}sha512`, 'sha512'],
]);

/** The transforms of a reference: the signature is taken out, then exclusive canonicalization. There are no comments, so both kinds are one. */
export const enveloped = `${ds}enveloped-signature`;
export const canonicalizations: ReadonlySet<string> = new Set([excC14n, `${excC14n}WithComments`]);

/** Refuses a signature of any other form than: one SignedInfo with one Reference, to the id of what it stands in. */
export function checkForm(signature: Element, parentId: string): void {
  const parts = children(signature);
  const [info, value] =
    parts.length === 3
      ? named(signature, ['SignedInfo', 'SignatureValue', 'KeyInfo'])
      : named(signature, ['SignedInfo', 'SignatureValue']);
  const [canonicalization, method, reference] = named(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference']);
  checkCanonicalization(canonicalization);
  checkAlgorithm(method, new Set(signatureMethods.keys()), 'signed with RSA or ECDSA and SHA-256, SHA-384 or SHA-512');
  named(method, []);
  checkReference(reference, parentId);
  checkBase64(value);
}

function checkReference(reference: Element | undefined, parentId: string): void {
  const uri = reference && attribute(reference, 'URI');
  if (uri !== `#${parentId}`)
    misformed(`a signature has to refer to what it stands in, ${shown(`#${parentId}`)}, and refers to ${shown(uri)}`);
  const [transforms, method, value] = named(reference, ['Transforms', 'DigestMethod', 'DigestValue']);
  const [first, second] = named(transforms, ['Transform', 'Transform']);
  checkAlgorithm(first, new Set([enveloped]), 'transformed first by "enveloped-signature"');
  named(first, []);
  checkCanonicalization(second);
  checkAlgorithm(method, new Set(digestMethods.keys()), 'digested with SHA-256, SHA-384 or SHA-512');
  named(method, []);
  checkBase64(value);
}

function checkCanonicalization(element: Element | undefined): void {
  checkAlgorithm(element, canonicalizations, 'canonicalized exclusively (xml-exc-c14n)');
  const below = element ? children(element) : [];
  if (below.length > 1 || !below.every((one) => isNamed(one, excC14n, 'InclusiveNamespaces')))
    misformed('a canonicalization may hold nothing but one InclusiveNamespaces');
  // The list is searched for every attribute that has a prefix.
  if (below.some((one) => (attribute(one, 'PrefixList') ?? '').length > 256)) misformed('a PrefixList is too long');
}

function checkAlgorithm(element: Element | undefined, allowed: ReadonlySet<string>, wanted: string): void {
  const algorithm = element && attribute(element, 'Algorithm');
  if (algorithm === undefined || !allowed.has(algorithm))
    misformed(
      `it has to be ${wanted}, and the message names ${shown(algorithm)}: choose another algorithm at the identity provider`,
    );
}

/** The most characters that a signature or a digest may have, line breaks included: an RSA key of 16 384 bits makes 2 732. */
const longestValue = 8192;

function checkBase64(element: Element | undefined): void {
  const name = element?.localName ?? 'value';
  const text = (element && textOnly(element)) ?? '';
  if (text.length > longestValue)
    misformed(`a ${name} may have ${longestValue} characters, and this one has ${text.length}`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text.replace(/[\t\n\r ]+/g, ''))) misformed(`a ${name} has to be base64 alone`);
}

/** The elements directly in another, if they are just those of XML signatures with these names, in this order. */
function named(parent: Element | undefined, names: readonly string[]): readonly Element[] {
  const found = parent ? children(parent) : [];
  if (!parent || found.length !== names.length || found.some((one, index) => !isNamed(one, ds, names[index] ?? '')))
    misformed(
      `a ${parent?.localName ?? 'signature'} has to hold ${names.join(', ') || 'no element'}, and holds ${shown(found.map(({ nodeName }) => nodeName).join(', '))}`,
    );
  return found;
}

function misformed(what: string): never {
  refuse('signature-form', `invalid document signature: ${what}`);
}
