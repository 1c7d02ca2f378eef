// Debian's slapd (OpenLDAP) in a folder of a test's own, on ports of the loopback, in the foreground of a process that the test ends.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Issued } from './authority.ts';
import type { Commands } from './debian.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** Debian packages, and the commands of them that are used. */
export const slapdPackages = ['slapd', 'openssl'];
export const slapdCommands = ['slapd', 'slapadd', 'openssl'] as const;

export interface SlapdOptions {
  /** What it holds, below dc=example,dc=com, whose own entry is there already. */
  readonly ldif: string;
  /** Absent: it refuses StartTLS, and there is no ldaps. */
  readonly tls?: Issued;
  /** Further lines for the whole server. */
  readonly global?: string;
  /** Further lines for the database. */
  readonly database?: string;
}

export interface Slapd {
  readonly port: number;
  readonly tlsPort: number;
  /** What it said since it was started: its connections and operations. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** The account that may read everything without limits, and its password. */
export const rootDn = 'cn=admin,dc=example,dc=com';
export const rootPassword = 'the-service-secret';

/** Starts it and waits until it listens. */
export async function startSlapd(
  commands: Commands<(typeof slapdCommands)[number]>,
  options: SlapdOptions,
): Promise<Slapd> {
  const folder = temporaryFolder();
  const config = writeConfig(folder.path, options);
  load(commands.slapadd, config, options.ldif, folder.path);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const urls = options.tls ? `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${tlsPort}` : `ldap://127.0.0.1:${port}`;
  const child = spawn(commands.slapd, ['-d', 'stats', '-f', config, '-h', urls], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const program = { child, output: () => ({ stdout: '', stderr: log }) };
  await until('slapd listens', () => isOpen(port), { program });
  const stop = async () => {
    await end(child);
    await folder.remove();
  };
  return { port, tlsPort, log: () => log, stop };
}

function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = new Promise<boolean>((done) => {
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
  return open.finally(() => socket.destroy());
}

function writeConfig(folder: string, { tls, global = '', database = '' }: SlapdOptions): string {
  mkdirSync(join(folder, 'data'));
  const schemas = ['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`);
  const certificates = tls ? [`TLSCertificateFile ${tls.certificate}`, `TLSCertificateKeyFile ${tls.key}`] : [];
  const lines = [
    ...schemas,
    `pidfile ${join(folder, 'slapd.pid')}`,
    `argsfile ${join(folder, 'slapd.args')}`,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    ...certificates,
    global,
    'database mdb',
    'suffix "dc=example,dc=com"',
    `rootdn "${rootDn}"`,
    `rootpw ${rootPassword}`,
    `directory ${join(folder, 'data')}`,
    database,
  ];
  const path = join(folder, 'slapd.conf');
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  return path;
}

function load(slapadd: string, config: string, ldif: string, folder: string): void {
  const path = join(folder, 'content.ldif');
  writeFileSync(
    path,
    `dn: dc=example,dc=com\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n\n${ldif}`,
  );
  const { status, stderr } = spawnSync(slapadd, ['-q', '-f', config, '-l', path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`slapadd: ${stderr}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await once(child, 'exit');
  clearTimeout(killer);
}
