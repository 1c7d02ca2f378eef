// Which authorities are trusted for directories: those of the configuration, else those of Node and of the system.
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { certificatesIn, unusableCertificates } from '../../lib/certificate.ts';
import { Trouble } from './trouble.ts';

/**
 * What `ldap.tls.ca` means: PEM, or the bare base64 of one certificate; absent, all that Node, NODE_EXTRA_CA_CERTS and the system know, which is
 * read once. Throws trouble where the text is no certificate.
 */
export function trustedAuthorities(): (ca: string | undefined) => SecureContext {
  let known: SecureContext | undefined;
  return (ca) => {
    if (ca !== undefined) return ownAuthorities(ca);
    known ??= createSecureContext({
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system')])],
    });
    return known;
  };
}

function ownAuthorities(ca: string): SecureContext {
  // Node takes any text, and would then trust nobody without a word.
  const problem = unusableCertificates(ca);
  if (problem !== undefined) throw new Trouble('authority', { detail: problem });
  return createSecureContext({ ca: [...certificatesIn(ca)] });
}
