// The page on which people sign in.
import { makePage, messages } from './page.ts';

export const loginPage = makePage({
  title: 'Sign in',
  script: 'login.script.js',
  main: `<form id="sign-in">
<label for="username">Username or email</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="254" required autofocus>
<div role="status" id="way"></div>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required>
${messages}
<div><button type="submit">Sign in</button></div>
</form>
<p id="forgot" hidden><a href="reset-password">Forgot your password?</a></p>
<p id="register" hidden><a href="register">Register</a></p>`,
});
