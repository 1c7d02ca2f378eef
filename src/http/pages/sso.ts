// What people are told where single sign-on does not bring them in: never why, because whoever tries things would read it too.
import { makePage, type Page } from './page.ts';

const idMark = '{request}';

const refused = makePage({
  title: 'You are not signed in',
  main: `<p class="error" role="alert">Signing in with your organisation did not work.</p>
<p><a href="login">Try again</a>, or <a href="../../../account/login">sign in another way</a>.</p>
<p>If it does not work again, tell your administrator this number: <code>${idMark}</code>.</p>`,
});

/** The page for a response that was refused. `requestId` leads an administrator to the reason, in the log. */
export function ssoRefusedPage(requestId: string): Page {
  // Ids come from us, or have the form of one of ours: nothing in them means anything in HTML.
  return { ...refused, html: refused.html.replace(idMark, () => requestId.replace(/[^\w.:-]/g, '')) };
}

const misplaced = makePage({
  title: 'You are not signed in',
  main: `<p class="error" role="alert">Your organisation sent you to an address at which nobody can sign in.</p>
<p>Only your administrator can mend that: tell them this number: <code>${idMark}</code>.</p>`,
});

/** The page for what an identity provider sends to a wrong address. */
export function ssoMisplacedPage(requestId: string): Page {
  return { ...misplaced, html: misplaced.html.replace(idMark, () => requestId.replace(/[^\w.:-]/g, '')) };
}

/** The page for an address at which nobody can sign in: no configuration, or none that is active. */
export const noSsoPage = makePage({
  title: 'There is nothing here',
  main: `<p>Nobody can sign in at this address. <a href="../../../account/login">Sign in another way</a>.</p>`,
});
