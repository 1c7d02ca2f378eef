// Whom the platform tells what became of its tree: the field `notifications` of the Platform.
import { z } from 'zod';
import { listBy, name, secret, setOf } from './kind.ts';
import { url } from './scalars.ts';

/** What is told. `recovered`: an attempt that ended well after others that did not, or after drift that was left. */
export const notificationEvents = ['applied', 'refused', 'drifted', 'recovered'] as const;

/** One of them. */
export type NotificationEvent = (typeof notificationEvents)[number];

/** Where a signed webhook goes. */
export function webhookUrl() {
  return url().refine((text) => !/^https?:/.test(text) || URL.canParse(text), {
    error: 'it must be an http:// or https:// address without a user name or password in it',
  });
}

/** What a signed webhook is signed with. */
export function webhookSecret() {
  return secret().describe(
    'What messages are signed with, by reference: `whsec_` and the base64 of at least 24 random bytes. Two, with a space between them, while keys change: each signs.',
  );
}

/** The receivers of signed webhooks. */
export const notifications = listBy(
  'name',
  z.strictObject({
    name: name().describe('What the receiver is called here: in the log, and in the conditions of the platform.'),
    url: webhookUrl().describe(
      'The http(s) address that is posted to. Any that this server reaches may be named, also private ones. It is shown in plans: what must stay hidden belongs into `secret`.',
    ),
    secret: webhookSecret(),
    events: setOf(z.enum(notificationEvents))
      .default([...notificationEvents])
      .describe(
        'What is told: a tree was applied, or refused; objects had drifted; all is well again after that (recovered).',
      ),
  }),
)
  .default([])
  .describe('Who is told by signed webhooks (Standard Webhooks) what became of the tree.');

/** A receiver, as declared. */
export type Notification = z.output<typeof notifications>[number];
