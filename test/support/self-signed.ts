// Certificates made at test time, in DER by hand: no tool has to be installed, and no private key lies in the repository.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A key and its certificate, which anybody may have made for themselves. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** PEM. */
  readonly certificate: string;
}

/** A new RSA key of 2048 bits. The certificate is valid between two days (`YYMMDD`), by default for long. */
export function rsaPair(days?: { readonly from: string; readonly until: string }): KeyPair {
  return pairOf(generateKeyPairSync('rsa', { modulusLength: 2048 }), days);
}

/** A new key on the curve P-256. */
export function curvePair(namedCurve = 'P-256'): KeyPair {
  return pairOf(generateKeyPairSync('ec', { namedCurve }));
}

function pairOf(
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  days = { from: '200101', until: '491231' },
): KeyPair {
  const method =
    privateKey.asymmetricKeyType === 'rsa'
      ? sequence(objectId('2a864886f70d01010b'), Buffer.from('0500', 'hex'))
      : sequence(objectId('2a8648ce3d040302'));
  const name = sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from('idp')))));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.from([1])),
    method,
    name,
    sequence(moment(days.from), moment(days.until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  return { privateKey, publicKey, certificate: pem(sequence(body, method, signature)) };
}

function pem(der: Buffer): string {
  const rows = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${rows.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function moment(day: string): Buffer {
  return tagged(0x17, Buffer.from(`${day}000000Z`));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
