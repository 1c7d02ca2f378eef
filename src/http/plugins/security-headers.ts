// The headers that keep browsers from doing more with an answer than it is for.
import type { FastifyHelmetOptions } from '@fastify/helmet';

/** Answers are data: nothing in them runs, is framed, or is read by other sites. Pages of our own say what they need besides. */
export function securityHeaders(baseUrl: string): FastifyHelmetOptions {
  const secure = baseUrl.startsWith('https:');
  const none = ["'none'"];
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: none, frameAncestors: none, baseUri: none, formAction: none },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    strictTransportSecurity: secure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  };
}
