// Asks a running server instead of a store: plans, reconciles and status over its API.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigStatus } from '../control/config-status.ts';
import { BaseMoved } from '../control/failures.ts';
import type { LoadedTree } from '../control/tree.ts';
import { type Finding, hasErrors } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import type { Consents } from '../core/rules/rule.ts';
import { type Options, UsageError } from '../options.ts';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';
import { reasonOf } from './reason.ts';

/** The plan of a tree against the live state, or what is wrong with the tree on its own. Throws `Unavailable`. */
export async function planOnServer(
  options: Options,
  loaded: LoadedTree,
  io: Io,
): Promise<{ readonly plan: PlanDocument } | { readonly findings: readonly Finding[] }> {
  // The server is asked even for a tree that is known to be wrong: one that cannot be reached is told first.
  const ask = hasErrors(loaded.findings)
    ? call(options, io, 'GET', 'config')
    : call(options, io, 'POST', 'config/plan', { documents: textsOf(loaded) });
  const answer = await ask;
  if (answer.ok && hasErrors(loaded.findings)) return { findings: loaded.findings };
  if (answer.ok) return { plan: answer.body as PlanDocument };
  if (answer.type.endsWith(':tree_invalid')) return { findings: answer.violations };
  throw refusedBy(options, answer);
}

/** What came of a reconcile: the plan done, an invalid tree, or what the live state refuses. Throws `Unavailable` and `BaseMoved`. */
export async function reconcileOnServer(
  options: Options,
  { allowDeletes, adopt }: Consents,
  io: Io,
): Promise<
  { readonly plan: PlanDocument } | { readonly invalid: readonly Finding[] } | { readonly refused: readonly Finding[] }
> {
  const consents = {
    ...(allowDeletes === undefined ? {} : { allowDeletes }),
    ...(adopt.size > 0 ? { adopt: [...adopt] } : {}),
  };
  const answer = await call(options, io, 'POST', 'config/reconcile', consents);
  if (answer.ok) return { plan: answer.body as PlanDocument };
  if (answer.status === 412) throw new BaseMoved();
  if (!/:(tree_invalid|plan_blocked)$/.test(answer.type)) throw refusedBy(options, answer);
  return answer.type.endsWith(':tree_invalid') ? { invalid: answer.violations } : { refused: answer.violations };
}

/** The status that the server gives. Throws `Unavailable`. */
export async function statusOnServer(options: Options, io: Io): Promise<ConfigStatus> {
  const answer = await call(options, io, 'GET', 'config');
  if (answer.ok) return answer.body as ConfigStatus;
  throw refusedBy(options, answer);
}

/** Every file of a tree that the server needs: documents, and the public files that they draw in. */
function textsOf({ tree }: LoadedTree): { readonly path: string; readonly content: string }[] {
  const files = [...tree.files.values()].filter(({ stat }) => stat !== undefined);
  const drawn = files.flatMap(({ draws }) =>
    [...draws].flatMap(([path, file]) => ('text' in file ? [[path, file.text] as const] : [])),
  );
  const texts = new Map([...files.map(({ path, text }) => [path, text] as const), ...drawn]);
  return [...texts].map(([path, content]) => ({ path, content }));
}

/** An answer of the server. `violations` and `type` come from its problem document. */
interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: unknown;
  readonly type: string;
  readonly detail: string;
  readonly violations: readonly Finding[];
}

const patienceMs = 120_000;

async function call(options: Options, io: Io, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
  const server = options.server ?? '';
  const authorization = `Bearer ${tokenIn(options, io)}`;
  const url = `${server.replace(/\/+$/, '')}/api/v1/admin/${path}`;
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { authorization, accept: 'application/json', ...type };
  try {
    // A redirect would hand the token to wherever it leads.
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
      ...json,
    });
    return answerOf(response.ok, response.status, parsed(await response.text()));
  } catch (error) {
    throw new Unavailable(
      'server_unreachable',
      `the server ${server} cannot be reached, because ${networkReason(error)}`,
    );
  }
}

function tokenIn({ tokenFile }: Options, io: Io): string {
  const file = resolve(io.cwd, tokenFile ?? '');
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new Unavailable('token_unreadable', `the token file ${file} cannot be read, because ${reasonOf(error)}`);
  }
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(`the token file ${file} must hold a token and nothing else`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answerOf(ok: boolean, status: number, body: unknown): Answer {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const violations = Array.isArray(problem['violations']) ? (problem['violations'] as Finding[]) : [];
  return {
    ok: ok && body !== undefined,
    status,
    body,
    type: String(problem['type'] ?? ''),
    detail: String(problem['detail'] ?? problem['title'] ?? ''),
    violations,
  };
}

function refusedBy({ server }: Options, { status, detail, body }: Answer): Unavailable {
  if (status === 401)
    return new Unavailable(
      'token_refused',
      `the server ${server} refuses the token: it is wrong, has expired, or its owner is suspended`,
    );
  if (status === 403)
    return new Unavailable(
      'token_refused',
      `the server ${server} refuses the token, because it may not do this: ${detail || 'use one of an admin'}`,
    );
  if (body === undefined)
    return new Unavailable(
      'server_unreachable',
      `${server} does not answer as a Weir server does (status ${status}): check the address`,
    );
  return new Unavailable('server_unavailable', `the server ${server} cannot do this now (status ${status}): ${detail}`);
}

function networkReason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${patienceMs / 1000} seconds`;
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined;
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no host of that name',
    EAI_AGAIN: 'its name cannot be looked up at the moment',
    ECONNRESET: 'the connection was cut',
  };
  return words[cause?.code ?? ''] ?? cause?.code ?? cause?.message ?? 'the connection failed';
}
