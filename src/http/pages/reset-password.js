// A lost password: asking for a link, and following it.
import { $, ask, onSubmit, query, showNotice } from './common.js';

const token = query.get('token');
if (token) history.replaceState(null, '', '/account/reset-password');
$('ask').hidden = Boolean(token);
$('set').hidden = !token;
$(token ? 'password' : 'email').focus();

onSubmit('ask', async ({ email }, form) => {
  await ask('POST', '/account/forgot-password', { email });
  form.hidden = true;
  showNotice('If there is an account with this address, a mail is on its way. Its link works for 30 minutes.');
});

onSubmit('set', async ({ password }, form) => {
  await ask('POST', '/account/reset-password', { token, password });
  form.hidden = true;
  $('then').hidden = false;
  showNotice('Your password is changed, and you are signed out everywhere.');
  $('then').querySelector('a').focus();
});
