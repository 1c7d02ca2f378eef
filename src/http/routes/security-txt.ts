// How to report a weakness of this installation, in the form that those who find one look for (RFC 9116).
import { z } from 'zod';
import { singleton } from '../../core/model/view.ts';
import { Problem } from '../errors.ts';
import { defineRoute } from '../route.ts';

const path = '/.well-known/security.txt';

/** How long the answer may be believed without asking again: much less than the year that the RFC recommends as the most. */
const goodForDays = 90;
const dayMs = 86_400_000;

/** `GET /.well-known/security.txt`. */
export const securityTxtRoute = defineRoute({
  method: 'GET',
  url: path,
  action: 'read-security-contacts',
  operationId: 'getSecurityTxt',
  tag: 'description',
  // It belongs to the host, and is no part of the API.
  undocumented: true,
  summary: 'How to report a weakness',
  description:
    'A security.txt (RFC 9116) with the contacts that the platform declares (`api.securityContacts`); 404 where it declares none.',
  answers: {
    200: {
      description: 'The contacts, the best one first, and until when they are good.',
      also: { 'text/plain': z.string() },
    },
  },
  handle: ({ services }) => {
    const { securityContacts: contacts } = singleton(services.door.store.read(), 'Platform').spec.api;
    if (contacts === undefined || contacts.length === 0)
      throw new Problem('not_found', { detail: 'This installation declares no contacts for reports of weaknesses.' });
    // By days, so that it is the same text for one.
    const today = Math.floor(Date.parse(services.clock()) / dayMs) * dayMs;
    const lines = [
      ...contacts.map((contact) => `Contact: ${contact}`),
      `Expires: ${new Date(today + goodForDays * dayMs).toISOString()}`,
      // The RFC wants an address of HTTPS there.
      ...(services.baseUrl.startsWith('https://') ? [`Canonical: ${services.baseUrl}${path}`] : []),
    ];
    return { body: `${lines.join('\n')}\n`, type: 'text/plain; charset=utf-8' };
  },
});
