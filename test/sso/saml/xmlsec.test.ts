// timeout: 1200
// The guard against messages of another make: pysaml2, signed by xmlsec1; and xmlsec1's opinion of the messages that these tests write themselves.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Guarded, guardResponse } from '../../../src/sso/saml/guard.ts';
import { serviceProviderMetadata } from '../../../src/sso/saml/metadata.ts';
import { debian, suiteWith } from '../../support/debian.ts';
import { runCommand } from '../../support/run-command.ts';
import type { KeyPair } from '../../support/self-signed.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';
import { attributes, curve, expecting, idp, posted, written } from './signer.ts';

const python = '/usr/bin/python3';
// Debian's package of pysaml2 brings no library that could be looked for, but this.
const commands = debian(['python3-pysaml2', 'xmlsec1'], ['xmlsec1', '/usr/bin/make_metadata', python]);
const peer = suiteWith(commands, 'pysaml2 and xmlsec1');
const folder = temporaryFolder();

/** How pysaml2 is to make a response, where it is not as usual. */
interface Asked {
  readonly identity?: Readonly<Record<string, readonly string[]>>;
  readonly address?: string;
  readonly format?: string;
  readonly sign?: string;
  readonly digest?: string;
  readonly signResponse?: boolean;
  readonly signAssertion?: boolean;
}

async function judged(responses: Readonly<Record<string, Asked>>, pair: KeyPair = idp): Promise<Map<string, Guarded>> {
  await writeKeys(pair);
  const asked = {
    ...{ ...expecting(), acs: expecting().acsUrl, request: '_request', xmlsec1: commands?.xmlsec1, responses },
    ...{ key: join(folder.path, 'key.pem'), certificate: join(folder.path, 'certificate.pem') },
    metadata: serviceProviderMetadata(expecting()),
  };
  const script = join(import.meta.dirname, '../../support/pysaml2-provider.py');
  const { code, stdout, stderr } = await runCommand(python, [script], { input: JSON.stringify(asked) });
  assert.is(code, 0, stderr);
  const told = expecting({ now: new Date().toISOString(), certificates: [pair.certificate] });
  const made: unknown = JSON.parse(stdout);
  return new Map(Object.entries(made ?? {}).map(([name, xml]) => [name, guardResponse(posted(String(xml)), told)]));
}

async function writeKeys(pair: KeyPair): Promise<void> {
  await writeFiles(folder.path, {
    'key.pem': String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    'certificate.pem': pair.certificate,
  });
}

peer('sign people in, with whatever is in their names and however many groups they have', async () => {
  const odd = { displayName: ['<Ann> & "Söhne" \u{1d49c}\'s'], uid: ['ann'] };
  const groups = Array.from({ length: 800 }, (_, n) => `svc-team-${n}-member`);
  const answers = await judged({ odd: { identity: odd }, groups: { identity: { 'svc-roles': groups } } });
  const [one, many] = [answers.get('odd'), answers.get('groups')];
  assert.equal(one?.outcome === 'genuine' ? one.identity : one, {
    email: 'ann@good.example',
    username: 'ann',
    displayName: odd.displayName[0],
    otherAttributes: ['urn:oid:2.16.840.1.113730.3.1.241', 'urn:oid:0.9.2342.19200300.100.1.1'],
  });
  assert.equal(many?.outcome === 'genuine' ? many.identity.groups : many, groups);
});

peer('may sign with any digest that is taken, and none other', async () => {
  const answers = await judged({
    512: { sign: 'SIG_RSA_SHA512', digest: 'DIGEST_SHA512' },
    384: { sign: 'SIG_RSA_SHA384', digest: 'DIGEST_SHA384' },
    signed: { sign: 'SIG_RSA_SHA1' },
    digested: { digest: 'DIGEST_SHA1' },
    short: { sign: 'SIG_RSA_SHA224' },
  });
  assert.is(answers.get('512')?.outcome, 'genuine');
  assert.is(answers.get('384')?.outcome, 'genuine');
  for (const name of ['signed', 'digested', 'short']) assert.is(stepOf(answers.get(name)), 'signature-form', name);
});

peer('are refused where a signature is missing, or somebody else is named', async () => {
  const answers = await judged({
    none: { signResponse: false, signAssertion: false },
    assertion: { signResponse: false },
    response: { signAssertion: false },
    persistent: { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
    domain: { address: 'ann@evil.example' },
  });
  for (const name of ['none', 'assertion', 'response']) assert.is(stepOf(answers.get(name)), 'signatures', name);
  assert.is(stepOf(answers.get('persistent')), 'name-id');
  assert.is(stepOf(answers.get('domain')), 'email-domain');
});

peer('agree that the messages of these tests are rightly signed: on RSA, on curves, and on a wrong one', async () => {
  const verified = async (xml: string, certificate: string) => {
    await writeFiles(folder.path, { 'message.xml': xml, 'certificate.pem': certificate });
    const [response, assertion] = ['protocol:Response', 'assertion:Assertion'].map(
      (name) => `urn:oasis:names:tc:SAML:2.0:${name}`,
    );
    const ids = ['--id-attr:ID', response ?? '', '--id-attr:ID', assertion ?? ''];
    const path = (name: string) => join(folder.path, name);
    const each = ['1', '2'].map((n) => {
      const which = ['--node-xpath', `(//*[local-name()='Signature'])[${n}]`];
      const key = ['--pubkey-cert-pem', path('certificate.pem')];
      return runCommand(commands?.xmlsec1 ?? '', ['--verify', ...key, ...ids, ...which, path('message.xml')]);
    });
    return (await Promise.all(each)).map(({ code }) => code === 0);
  };
  const odd = written({ attributes: attributes({ cn: ['&lt;Ann&gt; &amp; "Söhne"'] }) });
  assert.equal(await verified(odd, idp.certificate), [true, true]);
  const signing = { key: curve.privateKey };
  assert.equal(await verified(written({}, { response: signing, assertion: signing }), curve.certificate), [true, true]);
  assert.equal(await verified(odd.replace('ann@', 'admin@'), idp.certificate), [false, false]);
});

function stepOf(answer: Guarded | undefined): string | undefined {
  return answer?.outcome === 'refused' ? answer.step : answer?.outcome;
}

peer.run();
