// The page on which people sign in.
import { makePage } from './page.ts';

export const loginPage = makePage({
  title: 'Sign in',
  script: 'login.js',
  main: `<form id="sign-in">
<label for="username">Username or email</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
<p id="sso" hidden><a id="sso-link" href="/account/login">Sign in with your organisation</a></p>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div><button type="submit">Sign in</button></div>
</form>
<p id="forgot" hidden><a href="/account/reset-password">Forgot your password?</a></p>
<p id="register" hidden><a href="/account/register">Register</a></p>`,
});
