// Takes an address back: by a press, because programs that look into mails open links, too.
import { ask, onSubmit, query, tell } from './common.js';

const token = query.get('token') ?? '';
// A link that works once is nothing for the history.
history.replaceState(null, '', location.pathname);

onSubmit('restore', async (_values, form) => {
  const { detail } = await ask('POST', '/account/restore-email', { token });
  form.querySelector('button').hidden = true;
  tell(form, 'status', detail);
});
