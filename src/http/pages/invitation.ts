// The page on which an invitation to a team is taken up.
import { makePage } from './page.ts';

export const invitationPage = makePage({
  title: 'Join a team',
  script: 'invitation.js',
  main: `<p id="what"></p>
<form id="accept" hidden>
<p id="as"></p>
<div><button type="submit">Join the team</button></div>
</form>
<p id="sign-in" hidden><a id="sign-in-link" href="/account/login">Sign in</a> to join.</p>
<p id="register" hidden>No account yet? <a id="register-link" href="/account/register">Register</a>.</p>`,
});
