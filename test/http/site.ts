// A whole platform for browsers: `weir serve` as a process, a mail server, and its admin at the API.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { startCommand } from '../support/run-command.ts';
import { addressOf } from '../support/serving.ts';
import { type ReceivedMail, type SmtpPeer, startSmtp } from '../support/smtp.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';

export interface Site {
  readonly base: string;
  readonly mailbox: SmtpPeer;
  /** Does something by the API, as the admin; answers the body. Fails for anything but a 2xx. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  api(method: string, path: string, body?: unknown): Promise<any>;
  /** Makes a user, who can sign in with `password`. */
  user(username: string, more?: object): Promise<{ readonly id: string }>;
  /** Waits for the next link that went to an address and proves it, and answers it: notices have none. */
  link(to: string): Promise<string>;
  close(): Promise<void>;
}

/** A link with a token. */
const proof = /^http\S+(?:\?(?:verify|token)=|\/account\/invitations\/)\S+$/m;

/** The password of everybody, as long as they have not changed it. */
export const password = 'correct horse battery';

/** Starts a platform on which visitors may do everything that settings can allow. */
export async function startSite(): Promise<Site> {
  const mailbox = await startSmtp();
  const folder = temporaryFolder();
  await writeFiles(folder.path, tree(mailbox.port));
  const server = startCommand(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd: folder.path,
    env: { ...plainEnvironment(), WEIR_ADMIN_PASSWORD: password },
  });
  const base = await addressOf(server);
  const session = await adminSession(base);
  const api: Site['api'] = (method, path, body) => ask(base, method, path, body, session);
  const seen = new Set<ReceivedMail>();
  return {
    base,
    mailbox,
    api,
    user: (username, more) =>
      api('POST', '/api/v1/users', { username, email: `${username}@example.net`, password, ...more }),
    link: async (to) => {
      const next = () => mailbox.mails.find((mail) => mail.to.includes(to) && !seen.has(mail) && proof.test(mail.text));
      await until(`a link for ${to}`, async () => next() !== undefined);
      const mail = next();
      if (mail) seen.add(mail);
      return proof.exec(mail?.text ?? '')?.[0] ?? '';
    },
    close: async () => {
      server.child.kill('SIGTERM');
      assert.is((await server.ended).code, 0);
      await mailbox.close();
      await folder.remove();
    },
  };
}

/** By a session, because no token makes an admin. */
async function adminSession(base: string): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', origin: base };
  const body = JSON.stringify({ username: 'admin', password });
  const signedIn = await fetch(`${base}/account/login`, { method: 'POST', headers, body });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { origin: base, cookie };
}

async function ask(base: string, method: string, path: string, body: unknown, headers: Record<string, string>) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(base + path, { method, headers: { ...headers, ...type }, ...json });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

const certificate = readFileSync(resolve(import.meta.dirname, '../support/certificates/authority.pem'), 'utf8');

function tree(smtpPort: number): Readonly<Record<string, string>> {
  const files = {
    'weir.yaml': `kind: Platform
metadata: {name: platform}
spec:
  licence: enterprise
  email: {from: Weir <weir@example.com>, smtp: {host: 127.0.0.1, port: ${smtpPort}}}
  api: {rateLimit: {signInPerMinute: 0}}
`,
    'settings.yaml': `kind: AdminSettings
metadata: {name: default}
spec: {registration: true, personalTeamOnRegistration: true, passwordReset: true, externalInvitations: true}
`,
    'types.yaml': `kind: TeamType
metadata: {name: starter}
spec: {description: "<b>Small</b>", order: 1}
---
kind: TeamType
metadata: {name: pro}
spec: {order: 2}
`,
    'sso.yaml': `kind: SsoConfig
metadata: {name: corp}
spec:
  emailDomain: corp.example
  provider: saml
  active: true
  saml: {signOnUrl: "https://id.example/sso", issuer: id, certificate: {fromFile: id.pem}}
`,
    'id.pem': certificate,
  };
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [join('config', name), text]));
}
