// What keeps the pages of an instance apart from Weir where they share an origin: a policy of the browser, and no way round it by redirects.

/** An instance below a path of Weir's own origin. */
export interface SharedPlace {
  /** The host that the browser asked, with its port. */
  readonly host: string;
  /** The base URL of Weir. */
  readonly baseUrl: string;
  /** The path of the instance, with a slash at its end. */
  readonly path: string;
  readonly catalogues: readonly string[];
}

/**
 * The policy (CSP level 3) by which scripts of an instance can ask the instance itself and the catalogues of modules, and nothing else: not the API, where
 * the session of whoever looks at the page would speak for them. It holds together with whatever policy the page has of its own.
 */
export function sharedPolicy({ host, baseUrl, path, catalogues }: SharedPlace): string {
  const hosts = new Set([host, new URL(baseUrl).host]);
  const own = [...hosts].flatMap((one) => [
    `http://${one}${path}`,
    `ws://${one}${path}`,
    `https://${one}${path}`,
    `wss://${one}${path}`,
  ]);
  return `connect-src ${[...own, ...catalogues, 'data:', 'blob:'].join(' ')}`;
}

/** How many policies are kept: hosts are what clients say. */
const mostPolicies = 1000;

/** Answers policies, each of which is made once for as long as its catalogues stay the same list. */
export function createPolicies(baseUrl: string): (place: Omit<SharedPlace, 'baseUrl'>) => string {
  const made = new Map<string, { readonly catalogues: readonly string[]; readonly policy: string }>();
  return (place) => {
    const key = `${place.host} ${place.path}`;
    const known = made.get(key);
    if (known?.catalogues === place.catalogues) return known.policy;
    if (made.size >= mostPolicies) made.clear();
    const policy = sharedPolicy({ ...place, baseUrl });
    made.set(key, { catalogues: place.catalogues, policy });
    return policy;
  };
}

/**
 * The address outside of what a runtime names that knows itself at the root of the host: below its path. What is relative, on another host, or below that path
 * already stays as it is.
 */
export function relocated(location: string, { host, baseUrl, path }: Omit<SharedPlace, 'catalogues'>): string {
  if (!/^(?:\/|https?:)/i.test(location) || !URL.canParse(location, baseUrl)) return location;
  const base = new URL(baseUrl);
  const target = new URL(location, base);
  const isHere = target.host === base.host || target.host === host.toLowerCase();
  if (!isHere || `${target.pathname}/`.startsWith(path)) return location;
  const moved = `${path.slice(0, -1)}${target.pathname}${target.search}${target.hash}`;
  return /^\/(?!\/)/.test(location) ? moved : `${target.origin}${moved}`;
}

/**
 * Whether a redirect leads to Weir, or to another instance. A policy looks at the path of a request, but not at that of what it is redirected to, so a
 * script could have its own instance send it on.
 */
export function leadsAstray(location: string, { host, baseUrl, path }: Omit<SharedPlace, 'catalogues'>): boolean {
  const base = new URL(path, baseUrl);
  if (!URL.canParse(location, base)) return false;
  const target = new URL(location, base);
  const isHere = target.host === base.host || target.host === host.toLowerCase();
  return isHere && !`${target.pathname}/`.startsWith(path);
}
