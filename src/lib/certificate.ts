// Whether text is certificates that signatures can be verified with.
import { X509Certificate } from 'node:crypto';

/**
 * What is wrong with a text as one or several certificates (PEM, or the bare base64 of one), in words that can follow "because"; nothing where
 * all are usable: RSA of 2048 bits or more, or an elliptic curve. The text itself is never repeated.
 */
export function certificateProblem(text: string): string | undefined {
  return unusableCertificates(text) ?? textAfter(text);
}

/** The same of a text that is in use already: what stands after the last certificate was taken once, and changes nothing. */
export function unusableCertificates(text: string): string | undefined {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    return 'it holds a private key, which must never be here: remove it, give the certificate alone, and replace that key, because it is no longer secret';
  const blocks = blocksOf(text);
  if (typeof blocks === 'string') return blocks;
  const problems = blocks.flatMap(
    (block, index) => problemOf(block, blocks.length > 1 ? `certificate ${index + 1}` : 'it') ?? [],
  );
  return problems.length > 0 ? problems.join(', and ') : undefined;
}

/** When the last of the certificates in a text ends: RFC 3339, UTC. Nothing where none can be read. */
export function certificatesEnd(text: string): string | undefined {
  const ends = certificatesIn(text).flatMap((pemText) => endOf(pemText) ?? []);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends)).toISOString();
}

function endOf(pemText: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pemText).validTo);
  } catch {
    return undefined;
  }
}

/** What tells a certificate from others. `ends`: RFC 3339, UTC; `fingerprint`: the SHA-256 of its bytes, as `AB:CD:…`. */
export interface CertificateSummary {
  readonly subject: string;
  readonly serial: string;
  readonly ends: string;
  readonly fingerprint: string;
}

/** The certificates in a text, one after another; nothing where one of them cannot be read. */
export function certificateSummaries(text: string): readonly CertificateSummary[] | undefined {
  const blocks = certificatesIn(text);
  try {
    return blocks.length === 0 ? undefined : blocks.map(summaryOf);
  } catch {
    return undefined;
  }
}

function summaryOf(block: string): CertificateSummary {
  const { subject, serialNumber, validTo, fingerprint256 } = new X509Certificate(block);
  return {
    subject: (subject ?? '').split('\n').join(', '),
    serial: serialNumber,
    ends: new Date(validTo).toISOString(),
    fingerprint: fingerprint256,
  };
}

const ending = '-----END CERTIFICATE-----';

/** Text before a certificate explains it (RFC 7468, 2); text after the last one is mostly a part of another. */
function textAfter(text: string): string | undefined {
  const begins = text.lastIndexOf('-----BEGIN ');
  if (begins < 0) return undefined;
  const rest = withLineBreaks(text.slice(text.indexOf(ending, begins) + ending.length));
  return rest.trim() === ''
    ? undefined
    : `there is text after the last "${ending}": remove it, or add the certificate that it was part of as a whole`;
}

/** The certificates in a text that has no problem, each as PEM. */
export function certificatesIn(text: string): readonly string[] {
  const blocks = blocksOf(text);
  return typeof blocks === 'string' ? [] : blocks;
}

/** The certificates in a text, each as PEM; or why there are none. */
function blocksOf(text: string): readonly string[] | string {
  const trimmed = withLineBreaks(text).trim();
  if (trimmed === '') return 'it is empty';
  if (!trimmed.includes('-----'))
    return isBase64(trimmed) ? [pem(trimmed)] : 'it is neither PEM ("-----BEGIN CERTIFICATE-----") nor base64';
  const [, ...parts] = trimmed.split('-----BEGIN CERTIFICATE-----');
  const blocks = parts.flatMap((part) => {
    const [found, inside = ''] = /^([^-]*)-----END CERTIFICATE-----/.exec(part) ?? [];
    if (found === undefined) return [];
    // In rows of its own, because forms and variables make spaces of line breaks.
    return [isBase64(inside.trim()) ? pem(inside) : `-----BEGIN CERTIFICATE-----${found}`];
  });
  const begun = trimmed.split('-----BEGIN ').length - 1;
  if (blocks.length > 0 && blocks.length === begun) return blocks;
  const other = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(trimmed.replaceAll('-----BEGIN CERTIFICATE-----', ''))?.[1];
  if (other !== undefined) return `it holds "${other}", where only "CERTIFICATE" may stand`;
  return 'a certificate in it is cut off: each goes from "-----BEGIN CERTIFICATE-----" to "-----END CERTIFICATE-----"';
}

/** With the line breaks that somebody wrote as `\n`, as JSON and variables have them: no certificate holds a backslash. */
function withLineBreaks(text: string): string {
  return text.replace(/\\[rn]/g, '\n');
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/\s]+={0,2}$/.test(text);
}

function pem(base64: string): string {
  const rows = base64.replace(/\s/g, '').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${rows.join('\n')}\n-----END CERTIFICATE-----`;
}

function problemOf(block: string, who: string): string | undefined {
  const key = publicKeyOf(block);
  if (!key) return `${who} cannot be read as a certificate: copy it again from the provider`;
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ec') return undefined;
  if (type !== 'rsa') return `${who} has a key of type ${type}, and only RSA and elliptic curves can be used`;
  const bits = details?.modulusLength ?? 0;
  return bits < 2048 ? `${who} has an RSA key of ${bits} bits, and less than 2048 is not safe` : undefined;
}

function publicKeyOf(block: string) {
  try {
    return new X509Certificate(block).publicKey;
  } catch {
    return undefined;
  }
}
