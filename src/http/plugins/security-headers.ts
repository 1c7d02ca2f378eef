// The headers that keep browsers from doing more with an answer than it is for.
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** What every answer has, also where no page or route of ours gives it. */
export function fixedHeaders(baseUrl: string): OutgoingHttpHeaders {
  return { ...securityHeaders(baseUrl), 'cache-control': 'no-store' };
}

/**
 * Answers are data: nothing in them runs, is framed, or is read by other sites. Pages of our own say what they need besides. They are the
 * same for every answer, so they are made once.
 */
function securityHeaders(baseUrl: string): OutgoingHttpHeaders {
  const none = ["'none'"];
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: none, frameAncestors: none, baseUri: none, formAction: none },
    },
    frameguard: { action: 'deny' },
    strictTransportSecurity: baseUrl.startsWith('https:') ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    // Of browsers and plug-ins that are gone, or of no meaning for data.
    ...{
      xDownloadOptions: false,
      xPermittedCrossDomainPolicies: false,
      xDnsPrefetchControl: false,
      xXssProtection: false,
    },
    originAgentCluster: false,
  });
  const request = new IncomingMessage(new Socket());
  const answer = new ServerResponse(request);
  set(request, answer, (error) => {
    if (error) throw error;
  });
  return { ...answer.getHeaders() };
}
