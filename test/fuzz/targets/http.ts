// Requests: the first line is method and path, then headers, an empty line, and the body. Every answer is one of the API's own, and never a bug.
import { type ServerWorld, startWorld } from '../../http/world.ts';
import { holds, type Target } from '../target.ts';

let world: Promise<ServerWorld> | undefined;

const names = [
  'accept',
  'content-type',
  'if-none-match',
  'if-match',
  'idempotency-key',
  'cookie',
  'authorization',
  'origin',
  'x-forwarded-for',
  'x-request-id',
  'host',
];

export const http: Target = {
  words: [
    ...names.map((name) => `\n${name}: `),
    ...[
      'GET ',
      'POST ',
      'PUT ',
      'DELETE ',
      '/api/v1/users',
      '/api/v1/stacks',
      '?limit=1',
      '&cursor=',
      '?q=',
      '&sort=-name',
      '?dryRun=true',
      '%00',
      '%E0%A4',
      '/../',
    ],
    ...[
      'W/"',
      '"*"',
      '*',
      '""',
      'weir_session=',
      '; ',
      ',',
      'application/json',
      'application/openmetrics-text; version=1.0.0',
      'q=0.5',
      'Bearer ',
      'gzip',
    ],
    ...[
      cursorOf(['username', 'ann', 'x']),
      cursorOf([]),
      '{"name":"a","spec":{"runtime":"4"}}',
      '{"__proto__":{}}',
      '[[[[',
      '\\ud800',
    ],
  ],
  seeds: () => [
    `GET /api/v1/users?limit=2&cursor=${cursorOf(['username', 'ann', 'x'])}&q=a\nif-none-match: "abc", W/"def"\n\n`,
    'GET /api/v1/admin/audit-log?since=2026-01-01T00:00:00Z&event=user.created\naccept: application/json\n\n',
    'GET /api/v1/admin/stats\naccept: application/openmetrics-text; version=1.0.0;q=0.9, */*;q=0.1\n\n',
    'POST /api/v1/stacks?dryRun=true\nidempotency-key: a1\ncontent-type: application/json\n\n{"name":"a","spec":{"runtime":"4"}}',
    'PUT /api/v1/user\nif-match: "1.abc"\ncontent-type: application/json\n\n{"name":"Ann"}',
    'GET /account/sso?email=ann@example.com\ncookie: weir_session=abc; weir_saml_x=1\n\n',
    'POST /account/login\ncontent-type: application/json\norigin: http://weir.example\n\n{"username":"ann","password":"x"}',
    'POST /sso/saml/corp/acs\ncontent-type: application/x-www-form-urlencoded\n\nSAMLResponse=PHg%2B&RelayState=x',
    'POST /api/v1/admin/config/plan\ncontent-type: application/json\n\n{"documents":[{"path":"weir.yaml","content":"kind: Platform\\nmetadata: {name: platform}"}]}',
  ],
  mostMs: 4000,
  end: async () => (await world)?.close(),
  check: async (input) => {
    world ??= startWorld();
    const { app, tokens } = await world;
    const [head = '', ...rest] = input.toString().split('\n\n');
    const [first = '', ...lines] = head.split('\n');
    const [, method = 'GET', url = '/'] = /^(GET|POST|PUT|DELETE|HEAD|PATCH) (\/[!-~]*)/.exec(first) ?? [];
    // The tool that asks cannot read what a socket would bring.
    if (!URL.canParse(url, 'http://weir.example')) return 'no address';
    if (/^\/api\/v1\/(users|user\/tokens)/.test(url) && method !== 'GET') return 'not tried';
    const headers = { authorization: `Bearer ${tokens.admin}`, ...headersIn(lines) };
    const body = rest.join('\n\n');
    const sent = method === 'GET' || method === 'HEAD' || body === '' ? {} : { payload: body };
    const answer = await app.inject({ method: method as 'GET', url, headers, ...sent });
    const type = String(answer.headers['content-type'] ?? '');
    holds(answer.statusCode !== 500, `500 for ${method} ${url}: ${answer.body.slice(0, 300)}`);
    if (answer.statusCode >= 400 && method !== 'HEAD' && type.startsWith('application/'))
      holds(
        type.startsWith('application/problem+json') && typeof answer.json().code === 'string',
        `no problem: ${type}`,
      );
    holds(!/\n\s+at |node_modules|file:\/\//.test(answer.body), 'it shows what is inside');
    const told = answer.statusCode >= 400 && type.includes('json') ? answer.json() : { code: type };
    return `${method} ${answer.statusCode} ${told.code} ${told.violations?.[0]?.path ?? ''}`.slice(0, 80);
  },
};

function headersIn(lines: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(': ');
    const name = line.slice(0, at).toLowerCase();
    // What HTTP cannot carry never gets as far as Weir.
    if (at > 0 && names.includes(name)) found[name] = line.slice(at + 2).replace(/[^\t -~\x80-\xff]/g, '');
  }
  return found;
}

function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}
