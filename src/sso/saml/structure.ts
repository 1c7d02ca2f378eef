// The steps of the guard that count what is in a response, and look where it stands: a second anything is an attack, or a misunderstanding.
import { refuse, shown } from './refusal.ts';
import { attribute, attributes, ds, isNamed, saml, samlp, textOnly, withDescendants } from './xml.ts';

/** The elements that a response consists of, in the document as it came: what they say is not to be trusted yet. */
export interface Skeleton {
  readonly response: Element;
  readonly assertion: Element;
  readonly responseId: string;
  readonly assertionId: string;
}

/** The signatures, each found in what it has to sign. */
export interface Signatures {
  readonly ofResponse: Element;
  readonly ofAssertion: Element;
}

/** The one response with its one assertion directly in it, ids that are unique, and namespaces that can be read in one way only. */
export function skeletonOf(root: Element): Skeleton {
  const all = withDescendants(root);
  for (const element of all) checkNamespaces(element);
  checkEncryption(all);
  const response = only(all, 'Response');
  const assertion = only(all, 'Assertion');
  if (response !== root || !isNamed(root, samlp, 'Response'))
    misshapen(`the outermost element has to be the Response of SAML 2.0, and is ${shown(root.nodeName)}`);
  if (assertion.parentNode !== root || !isNamed(assertion, saml, 'Assertion'))
    misshapen('the Assertion of SAML 2.0 has to stand directly in the Response');
  checkIds(all);
  return { response, assertion, responseId: idOf(response), assertionId: idOf(assertion) };
}

/** Exactly two signatures, one directly in the response and one directly in the assertion (specification 2.8, SAML rule 2). */
export function signaturesOf({ response, assertion }: Skeleton): Signatures {
  // In any namespace: one that looks like a signature to anybody is counted.
  const all = withDescendants(response).filter(({ localName }) => localName === 'Signature');
  const within = (parent: Element) => all.filter((one) => one.parentNode === parent && one.namespaceURI === ds);
  const [ofResponse, ofAssertion] = [within(response)[0], within(assertion)[0]];
  if (!ofResponse || !ofAssertion || all.length !== 2)
    refuse('signatures', `invalid document signature: ${whichAreMissing(all.length, ofResponse, ofAssertion)}`);
  return { ofResponse, ofAssertion };
}

function whichAreMissing(count: number, ofResponse: Element | undefined, ofAssertion: Element | undefined): string {
  if (count === 0) return 'nothing is signed: have the identity provider sign both the response and the assertion';
  if (count === 1 && ofAssertion)
    return 'only the assertion is signed: have the identity provider sign the response (the message) too';
  if (count === 1 && ofResponse)
    return 'only the response is signed: have the identity provider sign the assertion too';
  return `there have to be two signatures, one directly in the response and one directly in the assertion, and there are ${count}, or they stand elsewhere`;
}

function misshapen(what: string): never {
  refuse('structure', `invalid document signature: ${what}`);
}

function only(all: readonly Element[], local: string): Element {
  const found = all.filter(({ localName }) => localName === local);
  const [first] = found;
  if (first && found.length === 1) return first;
  const said = local === 'Assertion' && found.length === 0 ? statusClaimed(all) : undefined;
  if (said !== undefined) refuse('status', said);
  return misshapen(`there has to be exactly one ${local}, and there are ${found.length}`);
}

/** A response without an assertion is mostly one that says why: that leads, though nobody may have signed it. */
function statusClaimed(all: readonly Element[]): string | undefined {
  const named = (local: string) => all.filter((element) => isNamed(element, samlp, local));
  const codes = named('StatusCode').map((code) => attribute(code, 'Value'));
  if (codes.length === 0 || codes[0] === 'urn:oasis:names:tc:SAML:2.0:status:Success') return undefined;
  const message = named('StatusMessage').map(textOnly)[0]?.trim();
  const words = message ? `, and the message ${shown(message)}` : '';
  return `the identity provider answers with the status ${codes.slice(0, 3).map(shown).join(' ')}${words}, and without an Assertion: its own log says why`;
}

function checkEncryption(all: readonly Element[]): void {
  const encrypted = all.find(({ localName }) => localName === 'EncryptedAssertion' || localName === 'EncryptedID');
  if (encrypted)
    refuse(
      'encryption',
      `the response holds an ${encrypted.localName}, and nothing encrypted is read: switch the encryption of assertions and name ids off at the identity provider`,
    );
}

function idOf(element: Element): string {
  const id = attribute(element, 'ID');
  if (id === undefined || !/^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/.test(id))
    misshapen(
      `the ID of the ${element.localName} has to be a name of up to 256 letters, digits, "_", "." and "-", and is ${shown(id)}`,
    );
  return id;
}

/** Any attribute that somebody could take for an id counts: `Id`, `id`, `xml:id`, and with any other prefix. */
function checkIds(all: readonly Element[]): void {
  const ids = all.flatMap(attributes).filter(({ localName }) => localName.toLowerCase() === 'id');
  const values = new Set(ids.map(({ value }) => value));
  if (values.size < ids.length) misshapen('an ID is given twice');
}

function checkNamespaces(element: Element): void {
  if (element.namespaceURI === 'http://www.w3.org/1999/xhtml') misshapen('HTML may not stand in a response');
  const unbound = [element, ...attributes(element)].find((one) => one.prefix && !isText(one.namespaceURI));
  if (unbound) misshapen(`the prefix of ${shown(unbound.nodeName)} is not declared`);
  const odd = attributes(element).find((one) => one.name.startsWith('xmlns') && !isPlainDeclaration(one));
  if (odd) misshapen(`${shown(odd.name)} may not be declared`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isPlainDeclaration({ name, localName, prefix, value }: Attr): boolean {
  if (name === 'xmlns') return true;
  return prefix === 'xmlns' && value !== '' && localName !== 'xml' && localName !== 'xmlns';
}
