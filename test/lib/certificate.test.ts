// Certificates: which can be used to verify signatures, and what is said of the others.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificateProblem, certificateSummaries, certificatesIn } from '../../src/lib/certificate.ts';
import { cpuTime } from '../support/cpu-time.ts';

/** A certificate for CN=idp that was made once, with `openssl req -x509 -nodes -newkey … -subj /CN=idp -days 36500`. */
const certificate = (name: string) => readFileSync(join(import.meta.dirname, 'certificates', `${name}.pem`), 'utf8');

const pem = ({ privateKey }: { readonly privateKey: KeyObject }) =>
  String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

const good = {
  certificate: certificate('good'),
  key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 })),
};
const curve = {
  certificate: certificate('curve'),
  key: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
};
const small = certificate('small');
const edwards = certificate('edwards');

const certificates = suite('a certificate');

certificates(
  'can be used: RSA of 2048 bits, an elliptic curve, several, Windows line ends, text around, bare base64',
  () => {
    const bare = good.certificate.replace(/-----[A-Z ]+-----|\s/g, '');
    for (const text of [
      good.certificate,
      curve.certificate,
      `${good.certificate}${curve.certificate}`,
      good.certificate.replaceAll('\n', '\r\n'),
      `Bag Attributes\n  friendlyName: idp\n${good.certificate}`,
      bare,
      `\n${bare.replace(/.{64}/g, '$&\n')}\n`,
      good.certificate.trim().replaceAll('\n', '\\n'),
      good.certificate.trim().replaceAll('\n', '\\r\\n'),
      good.certificate.trim().replaceAll('\n', ' '),
      `${good.certificate}${curve.certificate}`.replaceAll('\n', ' '),
      good.certificate.replaceAll('\n', '\n    '),
    ])
      assert.is(certificateProblem(text), undefined, text);
  },
);

certificates('is read as it was meant where its line breaks were lost', () => {
  const fingerprint = (text: string) => certificateSummaries(text)?.map((one) => one.fingerprint);
  const both = `${good.certificate}${curve.certificate}`.trim();
  assert.is(fingerprint(both)?.length, 2);
  for (const lost of [' ', '\\n', '\\r\\n'])
    assert.equal(fingerprint(both.replaceAll('\n', lost)), fingerprint(both), JSON.stringify(lost));
});

certificates('has nothing after its end, and what stands there is not repeated', () => {
  for (const after of ['and more', good.certificate.slice(28, 100), '-----END CERTIFICATE-----'])
    assert.is(
      certificateProblem(`${good.certificate}${after}\n`),
      'there is text after the last "-----END CERTIFICATE-----": remove it, or add the certificate that it was part of as a whole',
      after,
    );
});

certificates('that was taken with text after it is still read', () => {
  assert.is(certificatesIn(`${good.certificate}and more\n`).length, 1);
});

certificates('cannot be used, and why', () => {
  assert.is(certificateProblem(small), 'it has an RSA key of 1024 bits, and less than 2048 is not safe');
  assert.match(certificateProblem(`${good.certificate}${small}`) ?? '', /^certificate 2 has an RSA key of 1024 bits/);
  assert.match(certificateProblem(edwards) ?? '', /key of type ed25519, and only RSA and elliptic curves/);
  assert.is(certificateProblem('  \n'), 'it is empty');
  assert.match(certificateProblem('hello!') ?? '', /neither PEM .* nor base64/);
  assert.match(certificateProblem('aGVsbG8=') ?? '', /cannot be read as a certificate/);
  assert.match(certificateProblem(good.certificate.slice(0, 300)) ?? '', /cut off/);
  assert.match(certificateProblem(good.certificate + curve.certificate.slice(0, 200)) ?? '', /cut off/);
  assert.match(
    certificateProblem(good.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST')) ?? '',
    /holds "CERTIFICATE REQUEST", where only "CERTIFICATE" may stand/,
  );
  assert.match(certificateProblem(good.certificate.replace(/[A-Z]/g, 'A')) ?? '', /holds|cannot be read|cut off/);
});

certificates('is never a private key, and that is never repeated', () => {
  for (const text of [
    good.key,
    `${good.certificate}${good.key}`,
    curve.key,
    good.key.replaceAll('PRIVATE KEY', 'RSA PRIVATE KEY'),
  ]) {
    const problem = certificateProblem(text) ?? '';
    assert.match(problem, /private key, which must never be here/);
    assert.ok(problem.length < 200);
  }
  const bare = good.key.replace(/-----[A-Z ]+-----|\s/g, '');
  assert.not.match(certificateProblem(bare) ?? '', bare.slice(40, 60));
});

certificates('is told apart from other text in little time, however much there is of it', async () => {
  const spent = await cpuTime(() => {
    assert.match(certificateProblem(`A${' '.repeat(100_000)}!`) ?? '', /neither PEM/);
  });
  assert.ok(spent < 1000, `${spent} ms`);
});

certificates.run();
