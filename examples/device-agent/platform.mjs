// The platform, as a device may talk to it: the channel that the README of Weir describes.

/** The token opens nothing, or not any more. */
export class Gone extends Error {}

export function platformAt(url, token) {
  const ask = async (method, path, { body, headers = {}, signal, seconds = 60 } = {}) => {
    const type = body ? { 'content-type': 'application/json' } : {};
    const answer = await fetch(`${url.replace(/\/+$/, '')}/api/v1/device${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...type, ...headers },
      body: body && JSON.stringify(body),
      signal: AbortSignal.any([AbortSignal.timeout(seconds * 1000), ...(signal ? [signal] : [])]),
    });
    const text = await answer.text();
    if (answer.status === 401) throw new Gone('the token opens nothing');
    if (!answer.ok && answer.status !== 304) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return { etag: answer.headers.get('etag'), body: text && JSON.parse(text) };
  };
  return {
    register: async (name, signal) => (await ask('POST', '/register', { body: { name }, signal })).body,
    /** What the device should be, once that is not what `etag` names; nothing where it stays so for 50 seconds. */
    wanted: async (etag, signal) => {
      const headers = etag ? { 'if-none-match': etag } : {};
      const answer = await ask('GET', '?wait=50', { headers, signal, seconds: 80 });
      return answer.body ? answer : undefined;
    },
    settings: async () => (await ask('GET', '/settings')).body,
    snapshot: async () => (await ask('GET', '/snapshot', { seconds: 300 })).body,
    checkIn: (said) => ask('POST', '/check-in', { body: said, seconds: 20 }),
    upload: async (content) => (await ask('POST', '/snapshots', { body: content, seconds: 300 })).body,
  };
}
