// How a run asks the server, and what an answer means for a write.
import type { Attempt } from './oracle.ts';
import { patienceMs, type World } from './world.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
  readonly body: any;
  /** The session cookie that it set. */
  readonly cookie: string | undefined;
}

export interface Asking {
  /** A bearer token; default: that of the admin. `none` sends none. */
  readonly token?: string;
  readonly cookie?: string;
  readonly body?: object;
}

/** Asks the server that runs now. Throws where no answer comes. */
export async function ask(world: World, method: string, path: string, asking: Asking = {}): Promise<Answer> {
  const { url } = world.life();
  const { cookie, body, token = cookie === undefined ? world.admin : 'none' } = asking;
  const headers = {
    ...(token === 'none' ? {} : { authorization: `Bearer ${token}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(method === 'GET' ? {} : { origin: url }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A server that is held for a while answers late, and not never.
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await answer.text();
  const [set] = answer.headers.getSetCookie();
  return {
    status: answer.status,
    body: text === '' ? undefined : JSON.parse(text),
    cookie: set?.split(';')[0],
  };
}

/** What became of a write. `cut`: nobody knows. */
export type Outcome =
  | { readonly is: 'kept'; readonly answer: Answer }
  | { readonly is: 'refused'; readonly answer: Answer }
  | { readonly is: 'cut' };

/** Sends a write, and tells the oracle what became of it. */
export async function write(
  world: World,
  attempt: Attempt,
  [method, path, asking]: readonly [method: 'POST' | 'PUT' | 'DELETE', path: string, asking?: Asking],
): Promise<Outcome> {
  let answer: Answer;
  try {
    answer = await ask(world, method, path, asking);
  } catch {
    attempt.unknown();
    return { is: 'cut' };
  }
  const { status, body } = answer;
  const what = `${method} ${path} was answered by ${status} ${JSON.stringify(body)}`;
  if (status < 300) {
    attempt.kept();
    return { is: 'kept', answer };
  }
  if (status === 503 && !/^nothing was changed/i.test(String(body?.detail))) {
    attempt.unknown();
    return { is: 'cut' };
  }
  if (status === 500) world.blame(what);
  attempt.refused();
  return { is: 'refused', answer };
}
