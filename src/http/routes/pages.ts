// The pages that people land on: from mails, from single sign-on, or because they want to sign in.
import { z } from 'zod';
import { invitationPage } from '../pages/invitation.ts';
import { loginPage } from '../pages/login.ts';
import { type Page, pageReply } from '../pages/page.ts';
import { registerPage } from '../pages/register.ts';
import { resetPasswordPage } from '../pages/reset-password.ts';
import { restoreEmailPage } from '../pages/restore-email.ts';
import { settingsPage } from '../pages/settings.ts';
import { defineRoute, type Route } from '../route.ts';

interface Place {
  readonly url: string;
  readonly operationId: string;
  readonly summary: string;
  readonly page: Page;
  readonly params?: z.ZodType;
  /** What its script reads from the address; the server does not. */
  readonly query?: z.ZodType;
}

const word = z.string().max(4096).optional();

/** What others add to addresses (`utm_source`, `fbclid`) is nothing to us, and no reason to turn anybody away. */
const anything = z.object({});

const places: readonly Place[] = [
  {
    url: '/account/login',
    operationId: 'loginPage',
    summary: 'The page to sign in on',
    page: loginPage,
    query: z.object({
      next: word.describe('The path to go to afterwards.'),
      verify: word.describe('The token of a mail that verifies an address.'),
    }),
  },
  {
    url: '/account/register',
    operationId: 'registerPage',
    summary: 'The page to register on',
    page: registerPage,
    query: z.object({ invitation: word.describe('The token of an invitation.') }),
  },
  {
    url: '/account/reset-password',
    operationId: 'resetPasswordPage',
    summary: 'The page for a lost password',
    page: resetPasswordPage,
    query: z.object({ token: word.describe('The token of a mail that lets a new password be set.') }),
  },
  {
    url: '/account/restore-email',
    operationId: 'restoreEmailPage',
    summary: 'The page to take an address back',
    page: restoreEmailPage,
    query: z.object({ token: word.describe('The token of the mail that told of another address.') }),
  },
  {
    url: '/account/invitations/:token',
    operationId: 'invitationPage',
    summary: 'The page of an invitation',
    page: invitationPage,
    params: z.strictObject({ token: z.string().min(1).max(255).describe('The token of the invitation.') }),
  },
  {
    url: '/account/settings',
    operationId: 'settingsPage',
    summary: 'The page of one’s own account',
    page: settingsPage,
  },
];

function routeOf({ url, operationId, summary, page, params, query }: Place): Route {
  return defineRoute({
    method: 'GET',
    url,
    action: 'open-page',
    operationId,
    tag: 'account',
    summary,
    description: 'A page for people, over the routes of this API. It holds nothing that is not public.',
    ...(params ? { params } : {}),
    query: query ?? anything,
    answers: {
      200: {
        description: 'The page.',
        also: { 'text/html': z.string() },
        example: () => '<!doctype html><html lang="en">…</html>',
      },
    },
    handle: () => pageReply(200, page),
  });
}

/** The address that a server prints, opened by somebody. */
const front = defineRoute({
  method: 'GET',
  url: '/',
  action: 'open-page',
  operationId: 'front',
  tag: 'account',
  undocumented: true,
  query: anything,
  summary: 'Lead people to their account',
  description: 'To the page of their account, which leads to sign-in where they are not signed in.',
  answers: {},
  handle: ({ services }) => ({ status: 303, headers: { location: `${services.baseUrl}/account/settings` } }),
});

export const pageRoutes: readonly Route[] = [front, ...places.map(routeOf)];
