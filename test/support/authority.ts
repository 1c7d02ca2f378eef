// A certificate authority of a test's own, made with openssl in a folder: what it issues can be good, expired, for another name, or by nobody.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of a certificate and its key. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  /** Its own certificate, as PEM. */
  readonly pem: string;
  /** A certificate for `localhost` and 127.0.0.1, or for `names`; with `expired` it ended yesterday. */
  readonly issue: (name: string, options?: { readonly names?: string; readonly expired?: boolean }) => Issued;
  /** A certificate that nobody but itself vouches for. */
  readonly selfSigned: (name: string) => Issued;
}

export function makeAuthority(openssl: string, folder: string): Authority {
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(openssl, args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = (name: string) => ({ certificate: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) });
  const own = files('authority');
  run(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    own.key,
    '-out',
    own.certificate,
    '-subj',
    '/O=Weir tests/CN=Test authority',
    '-days',
    '400',
  );
  return {
    pem: readFileSync(own.certificate, 'utf8'),
    issue: (name, { names = everyName, expired = false } = {}) => {
      const { certificate, key } = files(name);
      run('req', '-new', ...newKey, '-keyout', key, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      writeFileSync(join(folder, `${name}.cnf`), `${signing}subjectAltName=${names}\n`);
      writeFileSync(join(folder, `${name}.index`), '');
      const [from, to] = expired ? [at(-30), at(-1)] : [at(-1), at(300)];
      writeFileSync(join(folder, `${name}.ca`), caSection(folder, name));
      run(
        'ca',
        '-batch',
        '-notext',
        '-config',
        `${name}.ca`,
        '-cert',
        own.certificate,
        '-keyfile',
        own.key,
        '-extfile',
        `${name}.cnf`,
        '-startdate',
        from,
        '-enddate',
        to,
        '-in',
        `${name}.csr`,
        '-out',
        certificate,
      );
      return { certificate, key };
    },
    selfSigned: (name) => {
      const { certificate, key } = files(name);
      run(
        'req',
        '-x509',
        ...newKey,
        '-keyout',
        key,
        '-out',
        certificate,
        '-subj',
        `/CN=${name}`,
        '-days',
        '400',
        '-addext',
        `subjectAltName=${everyName}`,
      );
      return { certificate, key };
    },
  };
}

const everyName = 'DNS:localhost,IP:127.0.0.1';

const signing = 'basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n';

function caSection(folder: string, name: string): string {
  return `[ca]\ndefault_ca=d\n[d]\ndatabase=${join(folder, `${name}.index`)}\nnew_certs_dir=${folder}\ndefault_md=sha256\npolicy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n`;
}

/** Some days from now, as `openssl ca` writes times. */
function at(days: number): string {
  return `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}
