// A lost password: asking for a link, and following it.
import { $, ask, onSubmit, query, tell } from './common.js';

const main = $('ask').parentElement;
const token = query.get('token');
// A link that works once is nothing for the history.
if (token) history.replaceState(null, '', location.pathname);
$('ask').hidden = Boolean(token);
$('set').hidden = !token;
$(token ? 'password' : 'email').focus();

onSubmit('ask', async ({ email }, form) => {
  const { detail } = await ask('POST', '/account/forgot-password', { email });
  form.hidden = true;
  tell(main, 'status', `${detail} Its link works once, for 30 minutes.`);
  $('then').querySelector('a').focus();
});

onSubmit('set', async ({ password }, form) => {
  await ask('POST', '/account/reset-password', { token, password });
  form.hidden = true;
  tell(main, 'status', 'Your password is changed, and you are signed out everywhere. You can sign in now.');
  $('then').querySelector('a').focus();
});

const offered = await ask('GET', '/account/registration').catch(() => undefined);
if (offered && !offered.passwordReset) {
  for (const form of document.forms) form.hidden = true;
  tell(main, 'alert', 'No password can be reset by mail here: ask an administrator to set one.');
}
