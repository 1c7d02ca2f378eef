// timeout: 600
// The commands against a running server: the dry run of CI is what the server then does; and every way in which a server cannot be asked.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import { freePort } from '../support/free-port.ts';
import { mintOn, type Serving, serve } from '../support/serving.ts';
import { writeFiles } from '../support/temporary-folder.ts';
import { seed } from '../support/weir.ts';
import { platform, type RunOptions, stack, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
  server: Serving;
  /** With a token of scope `plan`, as a job of CI has. */
  job: string;
  /** With a token of an admin. */
  admin: string;
}

// The server takes its time to look at its tree, so that it is asked before it has come by itself.
const patient = (settleMs: number) => `${platform}spec: {reconcile: {settleMs: ${settleMs}, pollSeconds: 86400}}\n`;

const inUse = [
  { kind: 'Template', name: 'standard', spec: {} },
  { kind: 'TeamType', name: 'starter', spec: {} },
  { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
  { kind: 'Instance', name: 'a', spec: { team: 'one', instanceType: 'small', template: 'standard', stack: 'nr-4' } },
] as const;

const asking = suite<Context>('a plan against a running server');

asking.before.each(async (context) => {
  const here = await workspace({ 'config/weir.yaml': patient(200) });
  context.here = here;
  const person = JSON.parse((await here.weir('bootstrap')).stdout);
  await here.weir('apply');
  await seed(join(here.path, '.weir'), inUse);
  context.server = await serve(here);
  const { url } = context.server;
  here.write('job-token', await mintOn(url, person, { name: 'ci', scope: 'plan' }));
  here.write('admin-token', `${person.token}\n`);
  context.job = `--server ${url} --token-file job-token`;
  context.admin = `--server ${url} --token-file admin-token`;
});
asking.after.each(async ({ here, server }) => {
  server?.child.kill('SIGTERM');
  await server?.ended;
  await here?.remove();
});

/** A copy of the tree, as another branch has it. */
async function branch({ here }: Context, name: string, changed: Readonly<Record<string, string>>): Promise<void> {
  await cp(join(here.path, 'config'), join(here.path, name), { recursive: true });
  await writeFiles(join(here.path, name), changed);
}

async function slowDown({ here, admin }: Context): Promise<void> {
  here.write('config/weir.yaml', patient(5000));
  assert.is((await here.weir(`apply ${admin}`)).code, 0);
}

/** The branch becomes what the server follows, at once. */
async function merge({ here }: Context, name: string): Promise<void> {
  rmSync(join(here.path, 'config'), { recursive: true });
  await rename(join(here.path, name), join(here.path, 'config'));
}

const pro = 'kind: TeamType\nmetadata: {name: pro}\nspec:\n  description: For many\n  instanceTypes: [{name: small}]\n';

asking('is what the server’s own apply does, to the field', async (context) => {
  const { here, server, job, admin } = context;
  await slowDown(context);
  await branch(context, 'next', {
    'stacks.yaml': stack.replace('Node-RED 4', 'Four').replace('name: nr-4', 'name: nr-4, labels: {tier: free}'),
    'team types/pro.yaml': pro,
    'sso.yaml':
      'kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: example.com\n  provider: ldap\n  ldap: {password: {fromEnv: WEIR_SECRET_LDAP}}\n',
  });
  const planned = await here.weir(`plan next ${job} --detailed-exitcode --out plan.json --output json`);
  assert.is(planned.code, 2, planned.stderr);
  const plan: PlanDocument = JSON.parse(here.read('plan.json'));
  assert.equal(plan, JSON.parse(planned.stdout));
  assert.equal([plan.summary.create, plan.summary.update], [2, 1]);
  await merge(context, 'next');
  const token = here.read('admin-token').trim();
  const ask = async (method: string, path: string) =>
    JSON.parse(
      await (
        await fetch(`${server.url}/api/v1/admin/config/${path}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
        })
      ).text(),
    );
  const own: PlanDocument = await ask('GET', 'plan');
  assert.equal(
    own.changes.map(({ cause, ...change }) => change),
    plan.changes,
    'what the server would do by itself',
  );
  const { source, ...done }: PlanDocument = await ask('POST', 'reconcile');
  const { source: from, ...seen } = plan;
  assert.equal(done, seen, 'what it did: base, summary, changes with their places, findings');
  assert.is(source.digest, from.digest);
  const { revision, result, summary } = (await ask('GET', 'history?limit=1&result=applied')).history[0];
  assert.equal([revision, result, summary], [plan.source.digest, 'applied', plan.summary]);
  assert.is((await here.weir(`plan ${admin} --detailed-exitcode`)).code, 0);
});

asking('is not applied where a file is saved between the look at the plan and its apply', async (context) => {
  const { here, server, job } = context;
  await slowDown(context);
  await branch(context, 'next', { 'team types/pro.yaml': pro });
  assert.is((await here.weir(`plan next ${job} --out plan.json`)).code, 0);
  await merge(context, 'next');
  const late = stack.replace('name: nr-4', 'name: nr-late');
  const between: RequestListener = async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (request.method === 'POST') here.write('config/late.yaml', late);
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    const asked = { method: request.method ?? 'GET', headers, ...(body.length > 0 ? { body } : {}) };
    const answer = await fetch(`${server.url}${request.url}`, asked);
    const text = await answer.text();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  };
  await answering(between, async (url) => {
    const { code, stderr } = await here.weir(`apply plan.json --server ${url} --token-file admin-token`);
    assert.is(code, 4, stderr);
    assert.match(stderr, /the plan is stale, because the server has another tree/);
  });
  const token = here.read('admin-token').trim();
  const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  assert.is((await ask('/api/v1/stacks/nr-late')).status, 404);
  assert.is((await ask('/api/v1/team-types/pro')).status, 404);
});

asking('points at the lines of this checkout, and is blocked by what the live state forbids', async (context) => {
  const { here, job } = context;
  await branch(context, 'next', { 'stacks.yaml': stack.replace('4.1.15', '4.1.16') });
  const { code, stdout } = await here.weir(`plan next ${job} --output github --out plan.json`);
  assert.is(code, 3);
  assert.match(
    stdout,
    /^::error file=next\/stacks\.yaml,line=5,endLine=5,col=12,endColumn=20,title=stack-in-use::Stack\/nr-4: .*1 instance/m,
  );
  const told = await here.weir(`plan next ${job}`);
  assert.match(told.stdout, / --> stacks\.yaml:5:12\n {2}\|\n5 \| {3}runtime: "4\.1\.16"\n/);
});

asking('sends all that the tree is made of, so that the server plans the tree of the checkout', async (context) => {
  const { here, job } = context;
  await branch(context, 'next', {
    'weir.yaml': `${platform}spec: {exclude: [drafts], reconcile: {settleMs: 200, pollSeconds: 86400}}\n`,
    'marked.yaml': '\uFEFFkind: Template\nmetadata: {name: marked}\n',
    'Misspelt.YAML': 'kind: Template\nmetadata: {name: misspelt}\n',
    'drafts/x.yaml': 'kind: Template\nmetadata: {name: draft}\n',
    'sso/corp.yaml':
      'kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: example.com\n  provider: saml\n  saml: {certificate: {fromFile: ../certificates/idp.pem}}\n',
    'certificates/idp.pem': readFileSync(resolve(import.meta.dirname, '../lib/certificates/good.pem'), 'utf8'),
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      cwd: join(here.path, 'next'),
      encoding: 'utf8',
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'tree');
  const planned = async (how: string): Promise<PlanDocument> =>
    JSON.parse((await here.weir(`plan next ${how} --output json`)).stdout);
  const [there, beside] = [await planned(job), await planned('')];
  assert.equal(there, beside);
  assert.equal([there.source.commit, there.source.dirty], [git('rev-parse', 'HEAD').trim(), false]);
  assert.ok(there.findings.some(({ source }) => source?.file === 'Misspelt.YAML'));
  assert.is(there.summary.create, 2);
});

asking('takes consents along', async (context) => {
  const { here, job, admin } = context;
  const many = Array.from({ length: 11 }, (_, index) => `kind: Template\nmetadata: {name: t-${index}}\n`).join('---\n');
  here.write('config/many.yaml', many);
  assert.is((await here.weir(`apply ${admin}`)).code, 0);
  await branch(context, 'next', { 'many.yaml': 'kind: Template\nmetadata: {name: t-11}\n' });
  assert.is((await here.weir(`plan next ${job}`)).code, 3);
  assert.is((await here.weir(`plan next ${job} --allow-deletes 10`)).code, 3);
  assert.is((await here.weir(`plan next ${job} --allow-deletes 11`)).code, 0);
  await branch(context, 'adopting', {
    't.yaml': 'kind: Template\nmetadata: {name: standard}\nspec: {description: Ours}\n',
  });
  assert.is((await here.weir(`plan adopting ${job}`)).code, 3);
  const adopted = await here.weir(`plan adopting ${job} --adopt Template/standard`);
  assert.match(adopted.stdout, /< adopt Template\/standard/);
  assert.is(adopted.code, 0);
});

asking('is consented to as the server itself says, by the command and by the request', async (context) => {
  const { here, server, admin } = context;
  const documents = (names: readonly string[]) =>
    names.map((name) => `kind: Template\nmetadata: {name: ${name}}\n`).join('---\n');
  const both = ['first', 'second'];
  await writeFiles(
    join(here.path, 'config'),
    Object.fromEntries(both.map((name) => [`${name}/t.yaml`, documents([name])])),
  );
  assert.is((await here.weir(`apply ${admin}`)).code, 0);
  const refusal = async (): Promise<string> => {
    assert.is((await here.weir(`apply ${admin}`)).code, 3);
    const { stdout } = await here.weir(`status ${admin} --output json`);
    return JSON.parse(stdout).findings[0].message;
  };
  rmSync(join(here.path, 'config/first'), { recursive: true });
  const [, command = ''] = /"weir (apply [^"]+)"/.exec(await refusal()) ?? [];
  const line = command.replace('URL', server.url).replace('FILE', 'admin-token');
  assert.is((await here.weir(line)).code, 0, line);
  rmSync(join(here.path, 'config/second'), { recursive: true });
  const [, method = '', path = '', body = ''] = / ([A-Z]+) (\/\S+) (\{.*\})$/.exec(await refusal()) ?? [];
  const headers = {
    authorization: `Bearer ${readFileSync(join(here.path, 'admin-token'), 'utf8').trim()}`,
    'content-type': 'application/json',
  };
  const answer = await fetch(`${server.url}${path}`, { method, headers, body });
  assert.is(answer.status, 200, await answer.text());
  here.write('config/kept.yaml', documents(['standard']).replace('}\n', '}\nspec: {description: Ours}\n'));
  const [, adopt = ''] = /"weir (apply [^"]+)"/.exec(await refusal()) ?? [];
  assert.is((await here.weir(adopt.replace('URL', server.url).replace('FILE', 'admin-token'))).code, 0, adopt);
});

asking('needs no more than the scope `plan`, which gives no more', async ({ here, job }) => {
  assert.is((await here.weir(`status ${job}`)).code, 0);
  const { code, stdout, stderr } = await here.weir(`apply ${job} --output json`);
  assert.is(code, 5);
  assert.is(JSON.parse(stdout).error.code, 'token_refused');
  assert.match(stderr, /refuses the token, because it may not do this/);
});

asking('is applied after the merge, once, and refused by object where another came between', async (context) => {
  const { here, job, admin } = context;
  await slowDown(context);
  await branch(context, 'first', { 'stacks.yaml': stack.replace('Node-RED 4', 'Four'), 'pro.yaml': pro });
  assert.is((await here.weir(`plan first ${job} --out first.json`)).code, 0);
  const early = await here.weir(`apply first.json ${admin}`);
  assert.is(early.code, 4, 'it is not merged');
  assert.match(early.stderr, /^weir: the plan is stale, because the server has another tree \(revision [0-9a-f]{12}\)/);
  await branch(context, 'second', { 'stacks.yaml': stack.replace('Node-RED 4', 'Vier') });
  await merge(context, 'second');
  assert.is((await here.weir(`apply ${admin}`)).code, 0);
  assert.is((await here.weir(`plan first ${job} --out fresh.json`)).code, 0);
  await merge(context, 'first');
  const stale = await here.weir(`apply first.json ${admin} --output json`);
  assert.is(stale.code, 4);
  assert.equal(JSON.parse(stale.stdout).error.addresses, ['Stack/nr-4']);
  const applied = await here.weir(`apply fresh.json ${admin}`);
  assert.is(applied.code, 0, applied.stderr);
  assert.match(applied.stdout, /\nApplied: 1 created, 1 updated, 0 deleted; 2 unchanged\.\n$/);
  const again = await here.weir(`apply fresh.json ${admin}`);
  assert.equal([again.code, again.stdout], [0, 'Nothing to do: this plan is applied already.\n']);
});

asking('is applied to the store of a server that stands still', async (context) => {
  const { here, server, job } = context;
  await branch(context, 'next', { 'pro.yaml': pro });
  assert.is((await here.weir(`plan next ${job} --out plan.json`)).code, 0);
  assert.is((await here.weir('apply plan.json')).code, 5, 'the server has the store');
  server.child.kill('SIGTERM');
  await server.ended;
  assert.match((await here.weir('apply plan.json')).stdout, /\nApplied: 1 created/);
  assert.is((await here.weir('apply plan.json')).stdout, 'Nothing to do: this plan is applied already.\n');
  assert.is((await here.weir('plan next --detailed-exitcode')).code, 0);
});

asking.run();

const failing = suite<{ here: Workspace }>('a server that cannot be asked');

failing.before(async (context) => {
  context.here = await workspace({ token: `weirp_${'x'.repeat(46)}\n` });
});
failing.after(({ here }) => here.remove());

/** What `status` says of a server, with exit code 5. */
async function told(here: Workspace, url: string, flags = '', options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await here.weir(`status --server ${url} --token-file token ${flags}`, options);
  assert.is(code, 5, stdout + stderr);
  assert.is(stdout, '');
  return stderr;
}

async function listening(server: Server | ReturnType<typeof createPlainServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function answering<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  const port = await listening(server);
  try {
    return await work(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

failing('that answers with something else than Weir does', async ({ here }) => {
  const answers: Readonly<Record<string, readonly [number, string, RegExp]>> = {
    page: [200, '<html>', /does not answer as a Weir server does \(status 200\): check the address\n$/],
    gateway: [502, 'Bad Gateway', /does not answer as a Weir server does \(status 502\)/],
    json: [200, '{"hello":"world"}', /does not answer as a Weir server does \(status 200, but not with what was asked/],
    list: [200, '[]', /does not answer as a Weir server does/],
    missing: [404, '{"message":"Not Found"}', /does not answer as a Weir server does \(status 404\)/],
    busy: [
      503,
      '{"title":"Not available now","detail":"Starting."}',
      /cannot do this now \(status 503\): Starting\.\n$/,
    ],
    large: [413, '{"detail":"Too much."}', /the tree is larger than the server .* takes: Too much\.\n$/],
    refused: [401, '{"detail":"no"}', /refuses the token: it is wrong, has expired, or its owner is suspended\n$/],
  };
  for (const [name, [status, text, expected]] of Object.entries(answers))
    await answering(
      (_, response) => response.writeHead(status).end(text),
      async (url) => assert.match(await told(here, url), expected, name),
    );
});

failing('that does not tell all findings says how many there are', async ({ here }) => {
  const message = 'Stack/a: cannot be';
  const problem = {
    type: 'urn:weir:problem:tree_invalid',
    violations: [{ rule: 'schema', severity: 'error', message }],
  };
  await answering(
    (_, response) => response.writeHead(409).end(JSON.stringify({ ...problem, violationsTotal: 300 })),
    async (url) => {
      const { code, stdout } = await here.weir(`plan --server ${url} --token-file token`);
      assert.is(code, 1);
      assert.match(stdout, /there are 300 findings, of which the server tells 1: mend these first/);
    },
  );
});

failing('that applies its tree still when it answers says where to look', async ({ here }) => {
  const asked: string[] = [];
  await answering(
    ({ method, url: path }, response) => {
      asked.push(`${method} ${path}`);
      response.writeHead(202, { location: '/api/v1/admin/config/history' }).end('{"conditions":[]}');
    },
    async (url) => {
      const { code, stdout, stderr } = await here.weir(`apply --server ${url} --token-file token`);
      assert.equal([code, stdout], [5, '']);
      assert.match(stderr, /applies its tree still: see how it ends with weir status --server http:\/\/127/);
    },
  );
  assert.equal(asked, ['POST /api/v1/admin/config/reconcile'], 'and it is not asked twice');
});

failing('that is busy is asked again when it says so', async ({ here }) => {
  let asked = 0;
  let seconds = '1';
  await answering(
    (_, response) => {
      asked++;
      if (asked < 3) response.writeHead(asked === 1 ? 503 : 429, { 'retry-after': seconds }).end('{"detail":"Busy."}');
      else response.writeHead(401).end('{"detail":"no"}');
    },
    async (url) => {
      assert.match(await told(here, url), /refuses the token/);
      assert.is(asked, 3);
      asked = 0;
      seconds = '90';
      assert.match(await told(here, url, '--timeout 60'), /cannot do this now \(status 503\): Busy\.\n$/);
      assert.is(asked, 1, 'not longer than one is willing to wait');
    },
  );
});

failing('that sends on: the token is not taken along', async ({ here }) => {
  let asked = 0;
  await answering(
    (_, response) => {
      asked++;
      response.end('{}');
    },
    async (other) =>
      answering(
        (_, response) => response.writeHead(302, { location: `${other}/login` }).end(),
        async (url) => assert.match(await told(here, url), /sends on to .*\/login, where the token is not taken along/),
      ),
  );
  assert.is(asked, 0);
});

failing('that does not answer in time', async ({ here }) => {
  await answering(
    () => {},
    async (url) =>
      assert.match(
        await told(here, url, '--timeout 0.2'),
        /cannot be reached, because it did not answer within 0\.2 seconds \(--timeout allows more\)\n$/,
      ),
  );
});

failing('that cuts the connection, or does not speak HTTP', async ({ here }) => {
  const plain = createPlainServer((socket) => socket.once('data', () => socket.destroy()));
  assert.match(await told(here, `http://127.0.0.1:${await listening(plain)}`), /because the connection was cut\n$/);
  plain.close();
  const other = createPlainServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
  assert.match(
    await told(here, `http://127.0.0.1:${await listening(other)}`),
    /because it does not speak HTTP there\n$/,
  );
  other.close();
});

failing('that is not there', async ({ here }) => {
  assert.match(await told(here, `http://127.0.0.1:${await freePort()}`), /because nothing listens there\n$/);
  assert.match(await told(here, 'http://weir.invalid'), /because (there is no host of that name|its name cannot be)/);
});

const certificates = resolve(import.meta.dirname, '../support/certificates');
const certificate = {
  cert: readFileSync(join(certificates, 'server.pem')),
  key: readFileSync(join(certificates, 'server-key.pem')),
};

failing('whose certificate is not trusted; with its authority named it is', async ({ here }) => {
  const secure = createSecureServer(certificate, (_, response) => response.writeHead(503).end('{"detail":"Not now."}'));
  const port = await listening(secure);
  const url = `https://localhost:${port}`;
  assert.match(
    await told(here, url),
    /because its certificate comes from an authority that is not known here \(NODE_EXTRA_CA_CERTS can name/,
  );
  const line = `status --server ${url} --token-file token`;
  const trusting = await here.spawn(line, { env: { NODE_EXTRA_CA_CERTS: join(certificates, 'authority.pem') } });
  assert.match(trusting.stderr, /cannot do this now \(status 503\): Not now\./);
  secure.closeAllConnections();
  secure.close();
});

failing('that does not speak TLS', async ({ here }) => {
  await answering(
    (_, response) => response.end('{}'),
    async (url) =>
      assert.match(await told(here, url.replace('http:', 'https:')), /because it does not speak TLS there/),
  );
});

failing('is asked through a proxy where one is named, and past it where that is said', async ({ here }) => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(503).end('{"detail":"By the proxy."}');
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host === 'weir.example' ? '127.0.0.1' : host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
  });
  const port = await listening(proxy);
  const env = { HTTP_PROXY: `http://user:secret@127.0.0.1:${port}` };
  await answering(
    (_, response) => response.writeHead(503).end('{"detail":"By the server."}'),
    async (url) => {
      const behind = url.replace('127.0.0.1', 'weir.example');
      assert.match(await told(here, behind, '', { env }), /status 503\): By the (server|proxy)\./);
      assert.is(asked.length, 1);
      assert.match(await told(here, url, '', { env: { ...env, NO_PROXY: '127.0.0.1' } }), /By the server\./);
      assert.match(await told(here, url), /By the server\./);
      assert.is(asked.length, 1, 'the proxy is not remembered');
    },
  );
  proxy.closeAllConnections();
  proxy.close();
  const gone = await told(here, 'http://weir.example', '', {
    env: { HTTP_PROXY: `http://user:secret@127.0.0.1:${port}` },
  });
  assert.match(gone, new RegExp(`cannot be reached \\(through the proxy 127\\.0\\.0\\.1:${port}\\), because`));
  assert.not.match(gone, 'secret');
  const wrong = await here.weir('status --server http://weir.example --token-file token', {
    env: { HTTP_PROXY: '::' },
  });
  assert.is(wrong.code, 64);
  assert.match(wrong.stderr, /HTTP_PROXY cannot be used/);
});

failing('because of what was typed: 64', async ({ here }) => {
  mkdirSync(join(here.path, 'folder'));
  here.write('two-lines', 'a\nb\n');
  const wrong: Readonly<Record<string, RegExp>> = {
    'status --server http://user:secret@localhost --token-file token': /because it holds more than host, port and path/,
    'status --server http://localhost/?a=b --token-file token': /because it holds more than host, port and path/,
    'status --server http://localhost --token-file two-lines': /two-lines must hold a token and nothing else/,
    'status --server http://localhost --token-file token --timeout 0': /because it is not more than 0/,
  };
  for (const [line, expected] of Object.entries(wrong)) {
    const { code, stderr } = await here.weir(line);
    assert.is(code, 64, line);
    assert.match(stderr, expected);
  }
  const folder = await here.weir('status --server http://localhost --token-file folder');
  assert.equal([folder.code, /because it is a folder/.test(folder.stderr)], [5, true]);
});

failing.run();
