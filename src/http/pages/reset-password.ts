// The page for a lost password: it asks for a link, and takes the new password of whoever followed one.
import { makePage, messages } from './page.ts';

export const resetPasswordPage = makePage({
  title: 'Reset your password',
  script: 'reset-password.script.js',
  main: `<form id="ask">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>
${messages}
<div><button type="submit">Send a link</button></div>
</form>
<form id="set" hidden>
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" aria-describedby="password-hint" required>
<small id="password-hint">At least 8 characters.</small>
${messages}
<div><button type="submit">Set the password</button></div>
</form>
<p id="then"><a href="login">Sign in</a></p>`,
});
