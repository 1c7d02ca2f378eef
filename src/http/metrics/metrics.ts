// The metrics of one server, in one exposition: what it has done since it started, and how everything stands.
import { Counter, collectDefaultMetrics, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client';
import type { Reconciler } from '../../control/reconciler.ts';
import type { Turn } from '../../control/turn.ts';
import type { AlertCause } from '../../core/instances/untold.ts';
import type { Mailer, MailOutcome } from '../../mail/mail.ts';
import type { Store } from '../../store/store.ts';
import type { Sync } from '../../store/timed-files.ts';
import { alertMetrics } from './alerts.ts';
import { type AuditStreamMetrics, auditStreamMetrics } from './audit-stream.ts';
import { type GatewayMetrics, gatewayMetrics } from './gateway.ts';
import { commitOutcomes, type MeasuredCommit, measured } from './measured-store.ts';
import { type NotificationMetrics, notificationMetrics } from './notifications.ts';
import { platformGauges } from './platform.ts';
import { type RuntimeUsage, runtimeGauges } from './runtimes.ts';
import { standingGauges } from './standing.ts';
import { syncMetrics } from './store-usage.ts';

/** A request that was answered. */
export interface Answered {
  readonly method: string;
  /** The template of the route (`/api/v1/teams/:id`), never what was asked for: the number of series does not grow with what there is. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

/** What is asked how it stands. */
export interface Told {
  readonly door: { readonly store: Pick<Store, 'read' | 'health'> };
  readonly reconciler: Pick<Reconciler, 'standing'>;
  readonly mailer: Pick<Mailer, 'waiting'>;
  /** What each instance that runs uses, by its id; absent where nothing runs instances. */
  readonly instanceUsage?: () => Promise<ReadonlyMap<string, RuntimeUsage>>;
}

/** What is counted, and how it is told. */
export interface Metrics {
  /** The same store, whose commits are counted and timed. */
  measured(store: Store): Store;
  /** A sync of what the store writes. */
  synced(sync: Sync): void;
  reconciled(turn: Turn): void;
  mailed(outcome: MailOutcome): void;
  /** An alert that the owners of an instance were mailed. */
  alerted(cause: AlertCause): void;
  /** What became of a message to a receiver, and how many attempts wait to be told. */
  readonly notifications: NotificationMetrics;
  /** What of the audit log each target has not got yet. */
  readonly auditStream: AuditStreamMetrics;
  answered(request: Answered): void;
  /** What is open and under way, and what was refused or cut for a limit. */
  readonly gateway: GatewayMetrics;
  /** All of it as OpenMetrics text. */
  exposition(told: Told): Promise<string>;
}

/** The content type of an exposition. */
export const openMetricsType: OpenMetricsContentType = Registry.OPENMETRICS_CONTENT_TYPE;

/** Makes the metrics of a server, all at their beginning. */
export function createMetrics({ version }: { readonly version: string }): Metrics {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(openMetricsType);
  const info = new Gauge({
    name: 'weir_build_info',
    help: 'The version of Weir that runs.',
    labelNames: ['version'],
    registers: [registry],
  });
  info.set({ version }, 1);
  const setPlatform = platformGauges(registry);
  const setStanding = standingGauges(registry);
  const setRuntimes = runtimeGauges(registry);
  const countCommit = commitMetrics(registry);
  const metrics: Metrics = {
    measured: (store) => measured(store, countCommit),
    synced: syncMetrics(registry),
    reconciled: reconcileMetrics(registry),
    mailed: mailMetrics(registry),
    alerted: alertMetrics(registry),
    notifications: notificationMetrics(registry),
    auditStream: auditStreamMetrics(registry),
    answered: httpMetrics(registry),
    gateway: gatewayMetrics(registry),
    exposition: async ({ door: { store }, reconciler, mailer, instanceUsage }) => {
      setRuntimes((await instanceUsage?.()) ?? new Map());
      setPlatform(store.read());
      setStanding({ reconciler: reconciler.standing(), store: store.health(), mailsWaiting: mailer.waiting() });
      return withCanonicalBounds(await registry.metrics());
    },
  };
  processMetrics(registry);
  return metrics;
}

type OpenMetrics = Registry<OpenMetricsContentType>;

function reconcileMetrics(registry: OpenMetrics): Metrics['reconciled'] {
  const registers = [registry];
  const count = new Counter({
    name: 'weir_reconciles_total',
    help: 'Attempts to make the state what the tree wants, by what came of them and what set them off.',
    labelNames: ['result', 'trigger'],
    registers,
  });
  for (const result of [
    'applied',
    'unchanged',
    'pending',
    'refused',
    'missing',
    'moved',
    'suspended',
    'denied',
    'failed',
  ])
    for (const trigger of ['start', 'watch', 'poll', 'api']) count.inc({ result, trigger }, 0);
  const duration = new Histogram({
    name: 'weir_reconcile_duration_seconds',
    help: 'From a tree that was read to the end of its reconcile.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  return ({ result, trigger, seconds }) => {
    count.inc({ result, trigger });
    duration.observe(seconds);
  };
}

function commitMetrics(registry: OpenMetrics): (commit: MeasuredCommit) => void {
  const registers = [registry];
  const count = new Counter({
    name: 'weir_store_commits_total',
    help: 'Commits that were asked of the store, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of commitOutcomes) count.inc({ outcome }, 0);
  const changed = new Counter({
    name: 'weir_store_changes_total',
    help: 'Resources made, changed or deleted by commits that were kept.',
    registers,
  });
  const duration = new Histogram({
    name: 'weir_store_commit_duration_seconds',
    help: 'From a commit that was asked for to where it is durable.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const signIns = signInMetrics(registry);
  return ({ outcome, seconds, changes, records }) => {
    count.inc({ outcome });
    if (outcome !== 'kept') return;
    changed.inc(changes);
    duration.observe(seconds);
    for (const { stream, body } of records)
      if (stream === 'audit') signIns(String(body.event), Number(body.count ?? 1));
  };
}

/** Sign-ins are told by what is audited of them, by any way in. */
function signInMetrics(registry: OpenMetrics): (event: string, times: number) => void {
  const count = new Counter({
    name: 'weir_sign_ins_total',
    help: 'Attempts to sign in, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['succeeded', 'failed', 'locked']) count.inc({ outcome }, 0);
  return (event, times) => {
    const [, outcome] = /^sign-in\.([a-z-]+)$/.exec(event) ?? [];
    if (outcome !== undefined) count.inc({ outcome }, times);
  };
}

function mailMetrics(registry: OpenMetrics): Metrics['mailed'] {
  const count = new Counter({
    name: 'weir_mails_total',
    help: 'Mails, by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['sent', 'failed', 'dropped']) count.inc({ outcome }, 0);
  return (outcome) => count.inc({ outcome });
}

/** The methods that the API knows; clients can invent others. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function httpMetrics(registry: OpenMetrics): Metrics['answered'] {
  const registers = [registry];
  // Ten series for each pair of labels: with the status among them, and again in the counter, HTTP alone would be nineteen lines in twenty.
  const count = new Counter({
    name: 'weir_http_requests_total',
    help: 'Requests that were answered, by status.',
    labelNames: ['status'],
    registers,
  });
  const duration = new Histogram({
    name: 'weir_http_request_duration_seconds',
    help: 'From a request that was received to an answer that was sent, by method and template of the route (none for what is no route).',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  });
  return ({ method, route = 'none', status, seconds }) => {
    count.inc({ status });
    duration.observe({ method: methods.has(method) ? method : 'other', route }, seconds);
  };
}

/** What the library tells of the process; but not the gauges that it names like counters. */
function processMetrics(registry: OpenMetrics): void {
  collectDefaultMetrics({ register: registry });
  for (const name of ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'])
    registry.removeSingleMetric(name);
}

/** OpenMetrics writes the bounds of buckets as floats (`le="1.0"`), the library as it finds them. Quotes in values are escaped, so this hits labels alone. */
function withCanonicalBounds(text: string): string {
  return text.replaceAll(/([{,]le="\d+)"/g, '$1.0"');
}
