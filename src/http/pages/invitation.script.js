// An invitation: what it is for, and how to take it up.
import { $, ask, askAsUser, at, onSubmit, showProblem, signInPath, tell, timeOf } from './common.js';

const main = $('accept').parentElement;
// It stays in the address until it is used, so that the page can be loaded again and come back to after a sign-in: it opens nothing but this, once,
// for some days.
const token = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
const asked = `token=${encodeURIComponent(token)}`;

onSubmit('accept', async (_values, form) => {
  const { name } = await askAsUser('POST', '/account/accept-invitation', { token });
  history.replaceState(null, '', at('/account/invitations/accepted'));
  form.hidden = true;
  $('then').hidden = false;
  tell(main, 'status', `You are in the team ${name} now.`);
  $('then').querySelector('a').focus();
});

try {
  const { team, role, inviter, email, known, expiresAt } = await ask('GET', `/account/invitation?${asked}`);
  const self = await ask('GET', '/api/v1/user').catch(() => undefined);
  const who = inviter.name || inviter.username;
  $('what').textContent =
    `${who} invites ${email} to the team ${team.name}, as ${role}. The invitation ends ${timeOf(expiresAt)}.`;
  $('accept').hidden = !self;
  $('as').textContent = self ? `You are signed in as ${self.username}.` : '';
  $('sign-in').hidden = Boolean(self) || !known;
  $('register').hidden = Boolean(self) || known;
  for (const link of document.querySelectorAll('.sign-in')) link.href = signInPath();
  $('register-link').href = at(`/account/register?invitation=${encodeURIComponent(token)}`);
} catch (problem) {
  showProblem(main, problem);
}
