// ETags and what is asked with them (RFC 9110, 8.8 and 13): `"<version>.<digest>"`, where the version is what If-Match looks at.
import { hash } from 'node:crypto';

/** The ETag of an answer. A resource's version goes before the digest, because what surrounds it (its use, say) may change by itself. */
export function etagOf(body: string | Buffer, version?: string, digest = digestOf(body)): string {
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`;
}

/** By what one answer is told from another. */
export function digestOf(body: string | Uint8Array): string {
  return hash('sha256', body, 'base64url').slice(0, 22);
}

/** Whether If-None-Match names the answer, so that it need not be sent again. */
export function isNotModified(ifNoneMatch: string, etag: string): boolean {
  return tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** Whether If-Match names the version that is there (nothing where there is nothing). Weak tags match nothing. */
export function matchesVersion(ifMatch: string, version: string | undefined): boolean {
  if (version === undefined) return false;
  return tagsOf(ifMatch).some(
    (tag) => tag === '*' || (tag.startsWith(`"${version}.`) && !tag.slice(version.length + 2).includes('.')),
  );
}

/** Whether If-Match names this very ETag (of nothing, where there is nothing). */
export function matchesEtag(ifMatch: string, etag: string | undefined): boolean {
  return etag !== undefined && tagsOf(ifMatch).some((tag) => tag === '*' || tag === etag);
}

function tagsOf(header: string): string[] {
  return header.match(/\*|(?:W\/)?"[^"]*"/g) ?? [];
}
