// An invitation: what it is for, and how to take it up.
import { $, ask, onSubmit, showNotice, showProblem } from './common.js';

const token = decodeURIComponent(location.pathname.split('/').at(-1) ?? '');
const invited = await ask('GET', `/account/invitation?token=${encodeURIComponent(token)}`).catch(showProblem);
if (invited) {
  const { team, role, inviter, email } = invited;
  $('what').textContent = `${inviter.name || inviter.username} invites ${email} to the team ${team.name}, as ${role}.`;
  const self = await ask('GET', '/api/v1/user').catch(() => undefined);
  $('accept').hidden = !self;
  $('as').textContent = self ? `You are signed in as ${self.username}.` : '';
  $('sign-in').hidden = Boolean(self);
  $('sign-in-link').href = `/account/login?next=${encodeURIComponent(location.pathname)}`;
  $('register').hidden = Boolean(self) || invited.known;
  $('register-link').href = `/account/register?invitation=${encodeURIComponent(token)}`;
}

onSubmit('accept', async (_values, form) => {
  await ask('POST', '/account/accept-invitation', { token });
  form.hidden = true;
  showNotice('You are in the team now.');
});
