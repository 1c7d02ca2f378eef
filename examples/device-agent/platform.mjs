// The platform, as a device may talk to it: the channel that the README of Weir describes.

/** The token opens nothing, or not any more. */
export class Gone extends Error {}
/** The platform cannot be reached, or is not well: nothing to tell it of. */
export class Unreachable extends Error {}

export function platformAt(url, token) {
  const send = async (method, path, { body, headers = {}, signal, seconds = 60 } = {}) => {
    const type = body ? { 'content-type': 'application/json' } : {};
    try {
      const answer = await fetch(`${url.replace(/\/+$/, '')}/api/v1/device${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...type, ...headers },
        body: body && JSON.stringify(body),
        signal: AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(signal ? [signal] : [])]),
      });
      return { answer, text: await answer.text() };
    } catch (error) {
      throw new Unreachable(`${method} ${path}: ${error.message}`, { cause: error.cause });
    }
  };
  const ask = async (method, path, options) => {
    const { answer, text } = await send(method, path, options);
    const words = `${method} ${path}: ${answer.status} ${text.slice(0, 500)}`;
    if (answer.status === 401) throw new Gone('the token opens nothing');
    if (answer.status === 429 || answer.status >= 500) throw new Unreachable(words);
    if (!answer.ok && answer.status !== 304) throw new Error(words);
    return { etag: answer.headers.get('etag'), body: text && JSON.parse(text) };
  };
  return {
    register: async (name, signal) => (await ask('POST', '/register', { body: { name }, signal })).body,
    /** What the device should be, once that is not what `etag` names; nothing where it stays so for so many seconds. */
    wanted: async (etag, signal, seconds) => {
      const headers = etag ? { 'if-none-match': etag } : {};
      const answer = await ask('GET', `?wait=${seconds}`, { headers, signal, seconds: seconds + 30 });
      return answer.body ? answer : undefined;
    },
    settings: async () => (await ask('GET', '/settings')).body,
    snapshot: async () => (await ask('GET', '/snapshot', { seconds: 300 })).body,
    checkIn: (said) => ask('POST', '/check-in', { body: said, seconds: 20 }),
    upload: async (content) => (await ask('POST', '/snapshots', { body: content, seconds: 300 })).body,
  };
}
