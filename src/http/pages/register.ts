// The page on which people register.
import { makePage, messages } from './page.ts';

export const registerPage = makePage({
  title: 'Register',
  script: 'register.script.js',
  main: `<form id="registration">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="63" aria-describedby="username-hint" required>
<small id="username-hint">Letters, digits, ".", "_" and "-".</small>
<label for="name">Name (may be left out)</label>
<input id="name" name="name" autocomplete="name" maxlength="255">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" aria-describedby="password-hint" required>
<small id="password-hint">At least 8 characters.</small>
<div id="type" hidden>
<label for="teamType">Type of your own team</label>
<select id="teamType" name="teamType"></select>
</div>
${messages}
<div><button type="submit">Register</button></div>
</form>
<p id="then"><a href="login">Sign in</a></p>`,
});
