// What sign-ins do to everybody else: how long reads wait while passwords are hashed, and while SAML responses are checked.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { idp, posted, written } from '../sso/saml/signer.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { type Row, spread } from './measure.ts';
import { main, startServer } from './served.ts';
import { type Latencies, startTraffic } from './traffic.ts';

const tree = {
  'weir.yaml': `kind: Platform
metadata: {name: platform}
spec:
  licence: enterprise
  api: {rateLimit: {signInPerMinute: 0}}
---
kind: Stack
metadata: {name: nr-4}
spec: {runtime: "4.1"}
`,
  'sso.yaml': `kind: SsoConfig
metadata: {name: good}
spec:
  emailDomain: good.example
  provider: saml
  active: true
  saml:
    signOnUrl: https://idp.example/sso
    issuer: https://idp.example/metadata
    certificate: |
      ${idp.certificate.trim().replaceAll('\n', '\n      ')}
`,
};

/** How long each is measured, in milliseconds. */
const spanMs = 1_500;

/** Reads on ten connections: alone, while four sign in by password, and while two send SAML responses; takes a quarter of a minute. */
export async function benchSignIn(rounds = 2): Promise<Row[]> {
  const folder = temporaryFolder();
  const [platform, store] = [join(folder.path, 'tree'), join(folder.path, 'store')];
  await writeFiles(platform, tree);
  const made = execFileSync(process.execPath, [main, 'bootstrap', '--store', store], { encoding: 'utf8' });
  const { username, password, token } = JSON.parse(made) as Readonly<Record<string, string>>;
  const server = await startServer(platform, store);
  const traffic = startTraffic(server.url, token ?? '', '/api/v1/stacks/nr-4');
  const signIn = () =>
    post(`${server.url}/account/login`, 'application/json', JSON.stringify({ username, password }), 200);
  // Genuine but for its time: its signature is checked, and then it is too old.
  const form = new URLSearchParams({ SAMLResponse: posted(written()) }).toString();
  const respond = () => post(`${server.url}/sso/saml/good/acs`, 'application/x-www-form-urlencoded', form, 403);
  const seen: Record<keyof typeof names, (Latencies & { readonly rate: number })[]> = {
    alone: [],
    passwords: [],
    saml: [],
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      seen.alone.push(await during([], traffic.latencies));
      seen.passwords.push(await during(Array(4).fill(signIn), traffic.latencies));
      seen.saml.push(await during(Array(2).fill(respond), traffic.latencies));
    }
  } finally {
    await traffic.stop();
    await server.stop();
    await folder.remove();
  }
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((name) => rowsOf(name, seen[name]));
}

const names = {
  alone: 'alone',
  passwords: 'while four sign in by password',
  saml: 'while two send SAML responses',
} as const;

function rowsOf(name: keyof typeof names, seen: readonly (Latencies & { readonly rate: number })[]): Row[] {
  const rate = { name: `sign-ins judged, ${names[name]}`, ...spread(seen.map((one) => one.rate)), unit: '/s' };
  return [
    { name: `latency of a read, ${names[name]}: median`, ...spread(seen.map(({ p50 }) => p50)), unit: 'ms' },
    { name: `latency of a read, ${names[name]}: 99th percentile`, ...spread(seen.map(({ p99 }) => p99)), unit: 'ms' },
    ...(name === 'alone' ? [] : [rate]),
  ];
}

/** What reads wait while others do something again and again, and how often a second they did. */
async function during(others: readonly (() => Promise<void>)[], latencies: () => Latencies) {
  let going = true;
  let count = 0;
  const busy = others.map(async (other) => {
    for (; going; count += 1) await other();
  });
  await delay(300);
  latencies();
  const [before, begun] = [count, performance.now()];
  await delay(spanMs);
  const rate = ((count - before) * 1_000) / (performance.now() - begun);
  const waited = latencies();
  going = false;
  await Promise.all(busy);
  return { ...waited, rate };
}

async function post(url: string, type: string, body: string, wanted: number): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, origin: new URL(url).origin },
    body,
  });
  await answer.arrayBuffer();
  if (answer.status !== wanted) throw new Error(`${url} was answered by ${answer.status}`);
}
