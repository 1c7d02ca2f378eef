// Signing in, well and badly, and signing out.
import { ask } from './requests.ts';
import { type Person, password, remember } from './scene.ts';

/** Signs in; of four sessions the oldest is ended. */
export async function signIn(person: Person): Promise<void> {
  const { scene, username, cookies } = person;
  const { status, body, cookie } = await ask(scene.world, 'POST', '/account/login', {
    token: 'none',
    body: { username, password },
  });
  if (status === 503) return;
  if (status !== 200 || !cookie) {
    scene.world.blame(`${username} cannot sign in: ${status} ${body?.detail}`);
    return;
  }
  cookies.push(cookie);
  scene.sessions.set(cookie, username);
  if (cookies.length > 3) await signOut(person);
}

/** A password that is wrong, of a name that nobody has: it locks nobody out. */
export async function signInWrongly({ scene: { world }, number }: Person): Promise<void> {
  const body = { username: `nobody-${number}`, password: 'not that one' };
  const { status } = await ask(world, 'POST', '/account/login', { token: 'none', body });
  if (status !== 401 && status !== 503) world.blame(`a wrong password was answered by ${status}`);
}

async function signOut({ scene, cookies }: Person): Promise<void> {
  const oldest = cookies.shift() ?? '';
  // Until it is answered nobody knows.
  scene.sessions.delete(oldest);
  const { status } = await ask(scene.world, 'POST', '/account/logout', { cookie: oldest });
  if (status < 300) remember(scene.closed, oldest);
}
