// The page on which an address is taken back that another one took the place of.
import { makePage, messages } from './page.ts';

export const restoreEmailPage = makePage({
  title: 'Take your address back',
  script: 'restore-email.script.js',
  main: `<form id="restore">
<p>If you did not change the email address of your account, take this one back. Everybody is signed out then, and other links that were mailed meanwhile open nothing.</p>
${messages}
<div><button type="submit">Take this address back</button></div>
</form>
<p id="then"><a href="login">Sign in</a></p>`,
});
