// What a JSON Merge Patch (RFC 7386) is sent as.

/** The media type of a merge patch; `application/json` is taken for the same. */
export const mergePatchType = 'application/merge-patch+json';

/** What a PATCH may be sent as: the header `Accept-Patch` of who was sent something else (RFC 5789, 3.1). */
export function acceptPatch(method: string, status: number): { readonly 'accept-patch'?: string } {
  return method === 'PATCH' && status === 415 ? { 'accept-patch': `${mergePatchType}, application/json` } : {};
}
