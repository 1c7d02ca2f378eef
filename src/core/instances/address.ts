// Where people reach an instance: below a path of the platform, or, where a domain is declared for that, under a host name of its own.

import type { SpecOf } from '../kinds/index.ts';
import { withoutTrailing } from '../model/without-trailing.ts';

/** What an address is made from: the base URL of the server, without a slash at its end, and what the platform declares. */
export interface AddressPlace {
  readonly baseUrl: string;
  readonly platform: Pick<SpecOf<'Platform'>, 'customHostnames'>;
}

/** The first segment of the path of every instance. */
export const instancesSegment = 'i';

/** The path below which an instance answers, without a slash at its end: `/i/7Kc`, behind the path of the base URL. */
export function instancePath(baseUrl: string, id: string): string {
  return `${withoutTrailing(new URL(baseUrl).pathname, '/')}/${instancesSegment}/${id}`;
}

/** The host name of an instance, in lower case; nothing where no domain is declared. Of an id, because names are not unique and can be taken over. */
export function instanceHost({ customHostnames }: AddressPlace['platform'], id: string): string | undefined {
  return customHostnames?.domain === undefined ? undefined : `${id}.${customHostnames.domain}`.toLowerCase();
}

/** The origin of an instance with a host name: scheme and port are those of the base URL. */
export function instanceOrigin({ baseUrl, platform }: AddressPlace, id: string): string | undefined {
  const host = instanceHost(platform, id);
  if (host === undefined) return undefined;
  const { protocol, port } = new URL(baseUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

/** The address that people are given, with a slash at its end. */
export function instanceUrl(place: AddressPlace, id: string): string {
  const origin = instanceOrigin(place, id);
  return origin === undefined ? `${new URL(place.baseUrl).origin}${instancePath(place.baseUrl, id)}/` : `${origin}/`;
}
