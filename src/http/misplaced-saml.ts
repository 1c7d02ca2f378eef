// What is meant for a SAML configuration and comes to another address: the log says where it has to go.
import type { FastifyRequest } from 'fastify';
import { addressOf } from '../core/model/resource.ts';
import { samlAddresses, samlConfigAt } from '../core/model/saml-addresses.ts';
import type { View } from '../core/model/view.ts';
import type { SsoConfiguration } from '../sso/provider.ts';
import type { ServerOptions } from './services.ts';

type Options = Pick<ServerOptions, 'baseUrl' | 'log'> & Partial<Pick<ServerOptions, 'door' | 'warn'>>;

/** What came, without what must not stand in a log. */
export interface Misplaced {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

const below = '/sso/saml/';

/** Whether a request to an address at which there is nothing may come from an identity provider: below ours, or a form from anywhere. */
export function isMisplacedSaml({ method, url, headers }: FastifyRequest): boolean {
  const isForm = method === 'POST' && /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
  return url.startsWith(below) || (isForm && !/^\/api(\/|\?|$)/.test(url));
}

/** Logs where it has to go, unless there is no SAML here at all. */
export function tellMisplacedSaml(
  { door, baseUrl, log, warn = log }: Options,
  { method, path, requestId }: Misplaced,
): void {
  const where = door && rightPlace(door.store.read(), path, baseUrl);
  if (where === undefined) return;
  warn(`${method} ${path} (request ${requestId}) is no address for what an identity provider sends: ${where}`, {
    requestId,
  });
}

function rightPlace(view: View, path: string, baseUrl: string): string | undefined {
  const name = path.startsWith(below) ? path.slice(below.length).split('/')[0] : undefined;
  const config = name === undefined ? undefined : samlConfigAt(view, name);
  if (config && !config.spec.active)
    return `${addressOf(config)} is not active, so that nobody can sign in by it yet; its ACS URL is ${acsUrl(config, baseUrl)}`;
  const all = [...view.all('SsoConfig')].filter(({ spec }) => spec.provider === 'saml' && spec.active);
  const meant = config ? [config] : all.slice(0, mostShown);
  if (meant.length === 0) return undefined;
  const urls = meant.map((one) => `the ACS URL of ${addressOf(one)} is ${acsUrl(one, baseUrl)}`).join(', ');
  const more = !config && all.length > meant.length ? `, and there are ${all.length - meant.length} more` : '';
  return `${urls}${more}, and takes POST alone: write it into the identity provider just as it is`;
}

function acsUrl(config: SsoConfiguration, baseUrl: string): string {
  return samlAddresses(config, baseUrl).acsUrl;
}

const mostShown = 3;
