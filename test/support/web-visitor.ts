// A browser that runs no scripts: it keeps cookies by their rules, follows redirects, and fills in forms.

/** A page that it has come to. `url` is where it is; `from` where it was, one request earlier. */
export interface WebPage {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** The form of a page: where it is sent, and what is in it. */
export interface WebForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface WebVisitor {
  /** Goes to an address, and on where it leads. `stop` ends at the first answer. */
  visit(url: string, stop?: 'stop'): Promise<WebPage>;
  /** Sends a form from a page of `origin`, and goes on where that leads. */
  send(form: WebForm, stop?: 'stop'): Promise<WebPage>;
  /** Asks for JSON as a script of our own pages would. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  json(method: string, url: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>;
  /** The cookies that would go to an address, as `name=value`. */
  cookiesFor(url: string): readonly string[];
  /** The same cookies, in another browser, from now on apart. */
  twin(): WebVisitor;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly host: string;
}

/** A new browser, with the cookies that it is given. */
export function webVisitor(cookies: readonly Cookie[] = []): WebVisitor {
  const jar = new Map(cookies.map((cookie) => [keyOf(cookie), cookie]));
  const cookiesFor = (url: string) =>
    [...jar.values()].filter((cookie) => goesTo(cookie, new URL(url))).map(({ name, value }) => `${name}=${value}`);

  async function ask(url: string, init: RequestInit = {}): Promise<WebPage> {
    const headers = new Headers(init.headers);
    const sent = cookiesFor(url);
    if (sent.length > 0) headers.set('cookie', sent.join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.timeout(20_000) });
    for (const line of response.headers.getSetCookie()) keep(line, new URL(url));
    return { url, status: response.status, headers: response.headers, html: await response.text() };
  }

  function keep(line: string, { hostname: host, pathname }: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const attribute = (wanted: string) =>
      attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const cookie = { name, value, host, path: attribute('path') ?? pathname.slice(0, pathname.lastIndexOf('/') + 1) };
    const isOver = Date.parse(attribute('expires') ?? '2100-01-01') <= Date.now() || attribute('max-age') === '0';
    if (isOver) jar.delete(keyOf(cookie));
    else jar.set(keyOf(cookie), cookie);
  }

  async function onFrom(page: WebPage, left = 10): Promise<WebPage> {
    const location = page.headers.get('location');
    if (location === null || page.status < 300 || page.status > 399) return page;
    if (left === 0) throw new Error(`too many redirects, at last to ${location}`);
    return onFrom(await ask(new URL(location, page.url).href), left - 1);
  }

  const end = (page: WebPage, stop?: 'stop') => (stop ? page : onFrom(page));
  return {
    visit: async (url, stop) => end(await ask(url), stop),
    send: async ({ action, fields }, stop) =>
      end(await ask(action, { method: 'POST', body: new URLSearchParams(fields) }), stop),
    json: async (method, url, body) => {
      const headers = { origin: new URL(url).origin, 'content-type': 'application/json' };
      const page = await ask(url, body === undefined ? { method } : { method, headers, body: JSON.stringify(body) });
      return { status: page.status, body: page.html === '' ? undefined : JSON.parse(page.html) };
    },
    cookiesFor,
    twin: () => webVisitor([...jar.values()]),
  };
}

function keyOf({ name, host, path }: Cookie): string {
  return JSON.stringify([name, host, path]);
}

/** Whether a cookie is sent to an address (RFC 6265, 5.4). Ports do not count. */
function goesTo({ host, path }: Cookie, { hostname, pathname }: URL): boolean {
  const below = path.endsWith('/') ? path : `${path}/`;
  return host === hostname && (pathname === path || pathname.startsWith(below));
}

/** The first form of a page, with more filled in. */
export function formOn({ html, url }: WebPage, filled: Readonly<Record<string, string>> = {}): WebForm {
  const [, attributes = '', content = ''] = /<form\b([^>]*)>(.*?)<\/form>/s.exec(html) ?? [];
  if (attributes === '') throw new Error(`there is no form at ${url}:\n${html}`);
  const inputs = [...content.matchAll(/<input\b([^>]*)>/gs)].flatMap(([, input = '']) => {
    const name = attributeIn(input, 'name');
    return name === undefined ? [] : [[name, attributeIn(input, 'value') ?? ''] as const];
  });
  const action = new URL(attributeIn(attributes, 'action') ?? '', url).href;
  return { action, fields: { ...Object.fromEntries(inputs), ...filled } };
}

function attributeIn(text: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1];
  return value?.replace(/&(amp|lt|gt|quot|#0*39);/g, (_entity, what: string) => entities[what] ?? "'");
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
