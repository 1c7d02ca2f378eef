// Cookies as a request brings them. A page of a neighbouring host can add one of any name for the common domain, so names alone say little.

/** Every value that a header Cookie has for a name, once each. */
export function cookiesIn(header: string | undefined, name: string): readonly string[] {
  if (header === undefined || !header.includes(`${name}=`)) return [];
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return [...new Set(values)];
}

/**
 * The name under which a browser takes a cookie from this very host alone, and only by TLS (RFC 6265bis, 4.1.3.2); the plain name where there is no TLS.
 */
export function hostCookie(name: string, baseUrl: string): string {
  return baseUrl.startsWith('https:') ? `${hostPrefix}${name}` : name;
}

export const hostPrefix = '__Host-';
