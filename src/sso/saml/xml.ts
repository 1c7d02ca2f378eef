// Parsed XML as the guard reads it: by namespace and local name, and only where nothing can be understood in two ways.
import { DOMParser } from '@xmldom/xmldom';
import { refuse, shown } from './refusal.ts';

/** The namespaces of a response. */
export const samlp = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const saml = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const ds = 'http://www.w3.org/2000/09/xmldsig#';
export const excC14n = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** The outermost element of a text that is known to have one. Whatever the parser warns of is an error. */
export function parsed(text: string): Element {
  try {
    return new DOMParser({ errorHandler: complain }).parseFromString(text, 'text/xml').documentElement;
  } catch (error) {
    return refuse('parser', `the response is not understood as XML: ${shown(String(error))}`);
  }
}

function complain(_level: string, message: unknown): never {
  throw new Error(String(message));
}

/** An element and all below it, in the order of the document. */
export function withDescendants(element: Element): readonly Element[] {
  return [element, ...children(element).flatMap(withDescendants)];
}

/** The elements directly below. */
export function children(element: Element): readonly Element[] {
  return Array.from(element.childNodes).filter(isElement);
}

/** The elements of a name directly below. */
export function childrenNamed(element: Element, namespace: string, local: string): readonly Element[] {
  return children(element).filter((child) => isNamed(child, namespace, local));
}

/** Whether an element has a name, by namespace: prefixes say nothing. */
export function isNamed(element: Element, namespace: string, local: string): boolean {
  return element.namespaceURI === namespace && element.localName === local;
}

/** The value of an attribute without a namespace; nothing where there is none. */
export function attribute(element: Element, name: string): string | undefined {
  return attributes(element).find((one) => !one.prefix && one.name === name)?.value;
}

/** All attributes, declarations of namespaces too. */
export function attributes(element: Element): readonly Attr[] {
  return Array.from(element.attributes);
}

/** The text of an element that holds text alone: nothing where an element stands in it. */
export function textOnly(element: Element): string | undefined {
  const nodes = Array.from(element.childNodes);
  return nodes.every((node) => node.nodeType === textNode)
    ? nodes.map((node) => node.nodeValue ?? '').join('')
    : undefined;
}

const elementNode = 1;
const textNode = 3;

function isElement(node: Node): node is Element {
  return node.nodeType === elementNode;
}
