// Slugs: names in any script as words of ASCII that can stand in an address.
import anyAscii from 'any-ascii';

/**
 * A name as a slug: `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, at most 63 characters. `otherwise` is the slug of a name without anything that can be
 * written in ASCII (punctuation, invisible characters); it must be a slug itself.
 */
export function slugOf(name: string, otherwise: string): string {
  // A name that is longer than a slug can tell is not worth the work, wherever it comes from.
  const ascii = anyAscii(name.slice(0, longestRead).normalize('NFKC')).toLowerCase();
  const words = ascii.replaceAll("'", '').replaceAll(/[^a-z0-9]+/g, '-');
  return words.replace(/^-/, '').slice(0, longestSlug).replace(/-$/, '') || otherwise;
}

const longestSlug = 63;
const longestRead = 1000;
