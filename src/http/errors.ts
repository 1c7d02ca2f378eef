// Every error that the API answers: one table, and the way from what was thrown to a row of it (RFC 9457).
import { TooManyPasswords } from '../auth/password.ts';
import {
  BaseMoved,
  NotPermitted,
  PlanBlocked,
  ReconcilerSuspended,
  SourceMoved,
  TreeInvalid,
  TreeMissing,
} from '../control/failures.ts';
import { type Finding, firstFindings, maxFindings } from '../core/model/finding.ts';
import { problemsOf } from '../core/model/request-problems.ts';
import { specProblemsOf } from '../core/plan/spec-problems.ts';
import { Declined } from '../core/proposals/declined.ts';
import { InvalidSpec } from '../core/proposals/written-spec.ts';
import { NotKept, OutcomeUnknown, Refused } from '../store/store.ts';

/** Stable: programs tell errors apart by these. */
export const codes = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'Sign in first' },
  sso_required: { status: 401, title: 'Sign in through single sign-on' },
  forbidden: { status: 403, title: 'Not allowed' },
  session_required: { status: 403, title: 'This needs a session, not a token' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'This method does not exist here' },
  conflict: { status: 409, title: 'This conflicts with what is there' },
  config_managed: { status: 409, title: 'A document declares this' },
  rule_violated: { status: 409, title: 'A rule forbids this' },
  idempotency_conflict: { status: 409, title: 'This idempotency key was used for another request' },
  precondition_failed: { status: 412, title: 'It changed in the meantime' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is in no form that is taken here' },
  expectation_failed: { status: 417, title: 'What the request expects cannot be met' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Weir failed' },
  bad_gateway: { status: 502, title: 'The instance gave no answer that can be passed on' },
  unavailable: { status: 503, title: 'Not available now' },
  insufficient_storage: { status: 507, title: 'There is no room on the disk' },
  gateway_timeout: { status: 504, title: 'The instance did not answer in time' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

/** Problems that have the code of others. */
const subtypes = { tree_invalid: 'The tree is not valid', plan_blocked: 'The plan is blocked' } as const;

export type ErrorCode = keyof typeof codes;

/** What an error answer may hold beyond its row. `detail` is for people: nothing internal. */
export interface ProblemExtras {
  readonly detail?: string;
  readonly violations?: readonly Finding[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Where to go instead (`sso_required`). */
  readonly redirect?: string;
  /** Tells apart problems of one code: the end of `type`, and a title of its own. */
  readonly type?: keyof typeof subtypes;
}

/** An error that the API answers as it is. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ErrorCode;
  readonly extras: ProblemExtras;
  constructor(code: ErrorCode, extras: ProblemExtras = {}) {
    super(extras.detail ?? codes[code].title);
    this.code = code;
    this.extras = extras;
  }
}

/** The body of an error answer, `application/problem+json`: with the first hundred violations, and how many there are in all where these are more. */
export function problemBody({ code, extras }: Problem): Readonly<Record<string, unknown>> {
  const { status } = codes[code];
  const title = extras.type ? subtypes[extras.type] : codes[code].title;
  const { detail = `${title}.`, violations = [], redirect } = extras;
  const { findings, findingsTotal } = firstFindings(violations);
  return {
    type: `urn:weir:problem:${extras.type ?? code}`,
    title,
    status,
    detail,
    code,
    ...(extras.violations ? { violations: findings } : {}),
    ...(findingsTotal === undefined ? {} : { violationsTotal: findingsTotal }),
    ...(redirect === undefined ? {} : { redirect }),
  };
}

/** What is answered for anything that was thrown. What nobody foresaw is `internal`, without a word of it. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refused) return ruleViolated(error.violations);
  if (error instanceof Declined && error.reason === 'unavailable') return unavailable(error.message);
  if (error instanceof Declined) return new Problem(error.reason, { detail: sentence(error.message) });
  if (error instanceof InvalidSpec)
    return invalidRequest(error.subject ? specProblemsOf(error.subject, error.issues) : problemsOf(error.issues));
  return reconcileProblem(error) ?? unavailableProblem(error) ?? frameworkProblem(error) ?? new Problem('internal');
}

/** A request that does not fit what the route takes. */
export function invalidRequest(violations: readonly Finding[]): Problem {
  return new Problem('invalid_request', { detail: summaryOf(violations), violations });
}

/** That a document declares the object comes first: whatever else is wrong has to be mended there. */
function ruleViolated(violations: readonly Finding[]): Problem {
  const isManaged = ({ rule }: Finding) => rule === 'config-managed';
  const all = [...violations.filter(isManaged), ...violations.filter((finding) => !isManaged(finding))];
  const code = violations.some(isManaged) ? 'config_managed' : 'rule_violated';
  return new Problem(code, { detail: summaryOf(all), violations: all });
}

function reconcileProblem(error: unknown): Problem | undefined {
  if (error instanceof BaseMoved || error instanceof SourceMoved)
    return new Problem('precondition_failed', { detail: sentence(error.message) });
  if (error instanceof NotPermitted) return problemOf(error.cause);
  if (error instanceof TreeInvalid) return treeProblem('tree_invalid', error.findings);
  if (error instanceof PlanBlocked) return treeProblem('plan_blocked', error.plan.findings);
  if (error instanceof ReconcilerSuspended) return new Problem('conflict', { detail: sentence(error.message) });
  return error instanceof TreeMissing ? new Problem('unavailable', { detail: sentence(error.message) }) : undefined;
}

function unavailableProblem(error: unknown): Problem | undefined {
  if (error instanceof NotKept || error instanceof TooManyPasswords)
    return unavailable('nothing was changed: try again later');
  if (error instanceof OutcomeUnknown)
    return unavailable('it is not known whether the change was kept: read before you repeat it');
  return undefined;
}

function unavailable(detail: string): Problem {
  return new Problem('unavailable', { detail: sentence(detail), headers: { 'retry-after': '5' } });
}

/** What Fastify throws before a handler runs, by its code. */
const framework: Readonly<Record<string, readonly [code: ErrorCode, detail: string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is larger than this route takes.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as its Content-Length says.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The body is not JSON.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_request', 'The body is empty.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The address holds an escape that stands for nothing.'],
  FST_ERR_ASYNC_CONSTRAINT: ['invalid_request', 'The address cannot be read.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing at this address.'],
};

function frameworkProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const [code, detail] = framework[error.code] ?? [];
  return code && detail ? new Problem(code, { detail }) : undefined;
}

function treeProblem(type: keyof typeof subtypes, findings: readonly Finding[]): Problem {
  const violations = findings.filter(({ severity }) => severity === 'error');
  return new Problem('rule_violated', { type, detail: summaryOf(violations), violations });
}

function summaryOf(violations: readonly Finding[]): string {
  const [first, ...more] = violations;
  if (!first) return 'It cannot be done.';
  const { message, suggestion } = first;
  // A message may end with what to do, after a colon of its own.
  const told = suggestion === undefined ? sentence(message) : `${message}. Did you mean ${suggestion}?`;
  if (more.length === 0) return told;
  const others = more.length === 1 ? 'is 1 more problem' : `are ${more.length} more problems`;
  const where = violations.length > maxFindings ? `: "violations" has the first ${maxFindings}` : ', in "violations"';
  return `${sentence(told, /[.!?]$/)} There ${others}${where}.`;
}

function sentence(text: string, ended = /[.!?)]$/): string {
  return ended.test(text) ? text : `${text}.`;
}
