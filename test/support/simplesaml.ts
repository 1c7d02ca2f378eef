// SimpleSAMLphp from Debian as an identity provider: on PHP's own server, in a folder of its own, with what it does decided by the test.
import type { KeyObject } from 'node:crypto';
import { freePort } from './free-port.ts';
import { startCommand } from './run-command.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';
import { until } from './until.ts';

/** What it needs, for `debian`; the first of the commands is `php`. */
export const simpleSaml = {
  packages: ['simplesamlphp', 'php-cli', 'php-xml', 'php-mbstring'],
  commands: ['php', '/usr/share/simplesamlphp/bin/console'],
} as const;

/** Where the package puts what a browser may ask for. */
const pages = '/usr/share/simplesamlphp/www';

/** A key, and the certificate with its public half. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly certificate: string;
}

/** How the provider behaves, beyond being right. */
export interface Behaviour {
  readonly signsResponse?: boolean;
  readonly signsAssertion?: boolean;
  /** What it signs with; RSA with SHA-256 where nothing is said. */
  readonly algorithm?: string;
  /** The format that it names people in, with their address as the value. */
  readonly nameIdFormat?: string;
  /** The attribute that it names people by. */
  readonly nameIdAttribute?: string;
  readonly key?: KeyPair;
  /** Further settings of the provider, as SimpleSAMLphp calls them. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface SimpleSaml {
  readonly signOnUrl: string;
  readonly issuer: string;
  /** Tells it of service providers, by their own metadata (XML). */
  meet(...metadata: readonly string[]): Promise<void>;
  /** From now on. */
  behave(behaviour: Behaviour): Promise<void>;
  /** What it logged. */
  log(): string;
  close(): Promise<void>;
}

/** Who can sign in there: `username:password` → attributes. */
export type People = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** Starts one; `php` is the command. */
export async function startSimpleSaml(php: string, people: People, key: KeyPair): Promise<SimpleSaml> {
  const folder = temporaryFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const issuer = `${url}saml2/idp/metadata.php`;
  const write = (files: Readonly<Record<string, string>>) => writeFiles(folder.path, files);
  let known: readonly string[] = [];
  const behave = (behaviour: Behaviour) =>
    write({ ...hosted(issuer, { key, ...behaviour }), 'metadata/peers.xml': peers(known, behaviour) });
  await write({
    'config.php': reading('config', 'config'),
    'config.json': JSON.stringify(configuration(folder.path, url)),
    'authsources.php': reading('config', 'authsources'),
    'authsources.json': JSON.stringify({ people: { 0: 'exampleauth:UserPass', ...people } }),
    'metadata/saml20-idp-hosted.php': reading('metadata', 'saml20-idp-hosted'),
    'log/.keep': '',
    'sessions/.keep': '',
    'temp/.keep': '',
    'data/.keep': '',
  });
  await behave({});
  const options = ['-d', 'opcache.enable=0', '-d', 'display_errors=stderr'];
  const server = startCommand(php, [...options, '-S', `127.0.0.1:${port}`, '-t', pages], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, TMPDIR: folder.path, SIMPLESAMLPHP_CONFIG_DIR: folder.path },
  });
  const log = () => server.output().stdout + server.output().stderr;
  const answers = async () => (await fetch(issuer).catch(() => undefined))?.ok;
  await until('SimpleSAMLphp answers', answers, { program: server });
  return {
    signOnUrl: `${url}saml2/idp/SSOService.php`,
    issuer,
    meet: (...metadata) => {
      known = metadata;
      return behave({});
    },
    behave,
    log,
    close: async () => {
      server.child.kill('SIGTERM');
      await server.ended;
      await folder.remove();
    },
  };
}

/** A file of PHP that reads its variable from the JSON beside it, so that nothing has to be written in PHP. */
function reading(variable: string, name: string): string {
  return `<?php $${variable} = json_decode(file_get_contents(__DIR__ . '/${name}.json'), true);\n`;
}

function configuration(folder: string, url: string): object {
  return {
    baseurlpath: url,
    certdir: `${folder}/certificates/`,
    loggingdir: `${folder}/log/`,
    datadir: `${folder}/data/`,
    tempdir: `${folder}/temp`,
    metadatadir: `${folder}/metadata/`,
    timezone: 'UTC',
    secretsalt: 'a salt of this test',
    'auth.adminpassword': 'an admin of this test',
    'logging.level': 6,
    'logging.handler': 'errorlog',
    'enable.saml20-idp': true,
    'module.enable': { exampleauth: true, core: true, saml: true },
    'session.cookie.secure': false,
    'session.cookie.samesite': null,
    'session.phpsession.savepath': `${folder}/sessions`,
    'language.cookie.secure': false,
    'language.cookie.samesite': null,
    'store.type': 'phpsession',
    'metadata.sources': [{ type: 'flatfile' }, { type: 'xml', file: `${folder}/metadata/peers.xml` }],
  };
}

/** The metadata of the provider itself, and its key. */
function hosted(issuer: string, behaviour: Behaviour & { readonly key: KeyPair }): Readonly<Record<string, string>> {
  const { key, signsResponse = true, signsAssertion = true, algorithm = rsaSha256 } = behaviour;
  const { nameIdFormat = emailFormat, nameIdAttribute = 'mail', settings = {} } = behaviour;
  const own = {
    host: '__DEFAULT__',
    privatekey: 'key.pem',
    certificate: 'certificate.pem',
    auth: 'people',
    'saml20.sign.response': signsResponse,
    'saml20.sign.assertion': signsAssertion,
    'signature.algorithm': algorithm,
    authproc: { 3: { class: 'saml:AttributeNameID', attribute: nameIdAttribute, Format: nameIdFormat } },
    ...settings,
  };
  return {
    'metadata/saml20-idp-hosted.json': JSON.stringify({ [issuer]: own }),
    'certificates/key.pem': key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'certificates/certificate.pem': key.certificate,
  };
}

/** What peers want counts for more than what the provider would do; here it is made not to heed them. */
function peers(metadata: readonly string[], { signsAssertion = true }: Behaviour): string {
  const all = metadata.join('').replaceAll('WantAssertionsSigned="true"', `WantAssertionsSigned="${signsAssertion}"`);
  return `<EntitiesDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata">${all}</EntitiesDescriptor>`;
}
