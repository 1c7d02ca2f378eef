// weir serve: the reconciler, the watcher and the API in one process.

import { resolve } from 'node:path';
import { createPasswords } from '../auth/password.ts';
import { auditDeliveredOf } from '../control/audit-delivered.ts';
import { auditIntactOf } from '../control/audit-intact.ts';
import { type AutoSnapshots, startAutoSnapshots } from '../control/auto-snapshots.ts';
import { createContents } from '../control/contents.ts';
import { type Converging, startConverge } from '../control/converge.ts';
import { needsFirstAdmin } from '../control/first-admin.ts';
import { type Started, startLoop } from '../control/loop.ts';
import { storeWritableOf } from '../control/store-writable.ts';
import { buildServer, createMetrics, type Metrics } from '../http/server.ts';
import { type Schedule, startJobs } from '../jobs/schedule.ts';
import { createMailer } from '../mail/smtp.ts';
import { exportSteps } from '../manifests/export.ts';
import { type AuditStream, startAuditStream } from '../notify/audit/stream.ts';
import { type Notifier, startNotifier } from '../notify/notifier.ts';
import type { Options } from '../options.ts';
import { ldapProvider } from '../sso/ldap.ts';
import type { Store } from '../store/store.ts';
import { announceFirstAdmin } from './accounts.ts';
import { doorsOf, driversOf, filesWith, installedWith, logsOf, usageWith } from './drivers-of.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { emailSettings, secretOf } from './facts.ts';
import { failureOf } from './failure.ts';
import { holdInstances, reserveAt } from './instances-folder.ts';
import type { Io } from './io.ts';
import { isolationOf } from './isolation-of.ts';
import { baseUrlOf, listen, maxSockets, withPort } from './listen.ts';
import { createLogger, type Logger } from './logger.ts';
import { monitorOf } from './monitor-of.ts';
import { reconcilerOf } from './pending-reconciler.ts';
import { inOrder, stopRequest } from './stop.ts';
import { defaultTree } from './tree.ts';
import type { Invocation, Verb } from './verb.ts';
import { benchOf, factsAt, openStoreAt } from './workbench.ts';

export const serve: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: [
    'env',
    'store',
    'secretKeyFile',
    'instances',
    'reserve',
    'host',
    'port',
    'baseUrl',
    'secretDir',
    'strictStart',
    'onStoreFailure',
    'logFormat',
    'logLevel',
  ],
  details: `Applies the tree at DIR (default ${defaultTree}), follows it, and serves the API. A tree that breaks later, or vanishes, changes nothing: the last
good state is kept, and a mended tree is taken up by itself. On a store without users it makes the first admin ("admin", with the
password in WEIR_ADMIN_PASSWORD or a new one) and prints it once. SIGTERM and SIGINT end it in order; a second one at once. Where the disk
fails so that nothing can be kept before the next start, it ends with 5 (--on-store-failure).`,
  examples: [
    'weir serve',
    'weir serve platform --store /var/lib/weir --host 0.0.0.0 --base-url https://weir.example.com',
  ],
  async run({ args: [folder = defaultTree], options, io: around }) {
    const logger = createLogger(around, options);
    const { io } = logger;
    // Heard from here on, so that a stop during the start is no loss either.
    const stop = stopRequest(io);
    let store: Store | undefined;
    let letInstancesGo = async () => {};
    try {
      const metrics = createMetrics({ version: io.version });
      const opened = await openStoreAt(options, io, {
        create: true,
        reserveBytes: await reserveAt(options, io),
        watched: true,
        onSync: metrics.synced,
        onFailure: () => endsWithStore({ options, logger }, stop),
      });
      store = opened;
      letInstancesGo = await holdInstances(options, io);
      const code = await withPort(options, (port) =>
        serveFrom(opened, folder, { options, io, logger, metrics }, stop, port),
      );
      // What is still open by then, such as a connection that was cut off, holds nobody up.
      setTimeout(() => io.exit(code), 1000).unref();
      return code;
    } catch (error) {
      const failure = options.logFormat === 'json' ? failureOf(error) : undefined;
      if (!failure) throw error;
      logger.log('error', failure.report.message);
      return failure.exitCode;
    } finally {
      await letInstancesGo();
      await store?.close();
      stop.over();
    }
  },
};

interface Surroundings extends Pick<Invocation, 'options' | 'io'> {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Until the next start nothing is kept: whoever supervises the process can bring that about, and nobody else would notice. */
function endsWithStore({ options, logger }: Pick<Surroundings, 'options' | 'logger'>, stop: Stop): void {
  if (options.onStoreFailure !== 'exit') return;
  const code = exitCodes.unavailable;
  const otherwise = 'with --on-store-failure read-only it would go on answering what is there';
  logger.log('error', `ending with ${code}, because nothing is kept before the next start (${otherwise})`);
  stop.end(code);
}

type Stop = ReturnType<typeof stopRequest>;

async function serveFrom(
  opened: Store,
  folder: string,
  { options, io, logger, metrics }: Surroundings,
  stop: Stop,
  port: number,
): Promise<ExitCode> {
  const store = metrics.measured(opened);
  const baseUrl = options.baseUrl ?? baseUrlOf(options.host, port);
  const { log } = logger;
  const drivers = driversOf(store, options, io, log);
  const isolation = isolationOf(store, drivers, { log, now: io.now });
  const bench = benchOf(store, { ...factsAt(options, io), drivers, baseUrl }, io);
  const { facts, newId, fingerprint } = bench;
  const door = { store, facts };
  const pending = Promise.withResolvers<Started>();
  pending.promise.catch(() => {});
  const reconciler = reconcilerOf(pending.promise);
  const home = { secretDir: resolve(io.cwd, options.secretDir), env: io.env };
  const mailer = createMailer({ settings: () => emailSettings(store.read(), home), log, onOutcome: metrics.mailed });
  const alerting = { door, drivers, mailer, baseUrl, newId, log, onAlert: metrics.alerted };
  const monitor = monitorOf(alerting, options, io);
  const app = buildServer({
    door,
    reconciler,
    exportDocuments: exportSteps,
    fingerprint,
    baseUrl,
    version: io.version,
    passwords: createPasswords(),
    directory: ldapProvider({ secretOf: (secret) => secretOf(secret, home) }),
    mailer,
    metrics,
    contents: createContents({ store, drivers }),
    instanceLogs: logsOf(store, drivers),
    instanceDoor: doorsOf(store, drivers),
    instanceUsage: usageWith(store, drivers),
    instancePast: monitor.past,
    installed: installedWith(store, drivers),
    instanceFiles: filesWith(store, drivers),
    maxSockets: maxSockets(),
    clock: io.now,
    newId,
    log: (message, details) => log('error', message, details),
    warn: (message, details) => log('warn', message, details),
    ...(options.logLevel === 'debug' ? { trace: (message, details) => log('debug', message, details) } : {}),
  });
  await listen(app, { host: options.host, port });
  let started: Started | undefined;
  let converging: Converging | undefined;
  let autoSnapshots: AutoSnapshots | undefined;
  let scheduled: Schedule | undefined;
  let notifier: Notifier | undefined;
  let auditStream: AuditStream | undefined;
  try {
    // Not before the port is ours: a password that was shown for nothing is no use to anybody.
    if (needsFirstAdmin(store.read())) await announceFirstAdmin({ ...door, clock: io.now, newId }, io);
    const onResult = metrics.notifications.told;
    // Before the tree is looked at: who is told of a refusal is told also where Weir does not start for it.
    notifier = startNotifier({
      ...{ door, baseUrl, clock: io.now, newId, log, onResult },
      secretOf: (secret) => secretOf(secret, home),
    });
    metrics.notifications.countedBy(notifier.waiting);
    auditStream = startAuditStream({
      ...{ door, baseUrl, clock: io.now, newId, log, storeFolder: resolve(io.cwd, options.store) },
      secretOf: (secret) => secretOf(secret, home),
    });
    metrics.auditStream.countedBy(auditStream.standings);
    const root = resolve(io.cwd, folder);
    const auditIntact = auditIntactOf(store, io.now);
    const storeWritable = storeWritableOf(store, io.now);
    const auditDelivered = auditDeliveredOf(auditStream.standings, io.now);
    const starting = startLoop({
      ...bench,
      root,
      overlay: options.env,
      conditions: () => [...isolation.conditions(), auditIntact(), ...auditDelivered(), storeWritable()],
      log,
      stop: stop.signal,
      onAttempt: (attempt, tree) => logger.refused(attempt, tree),
      onTurn: metrics.reconciled,
    });
    starting.catch(() => {});
    started = await Promise.race([starting, stop.asked]);
    if (!started) return stop.code();
    pending.resolve(started);
    const refusal = refusesToStart(started, options, io);
    if (refusal !== undefined) return refusal;
    await isolation.follow();
    // First, to hear of the instances that are found again.
    autoSnapshots = startAutoSnapshots({ door, drivers, clock: io.now, newId, log });
    converging = startConverge({ door, drivers, clock: io.now, newId, log });
    monitor.start();
    scheduled = startJobs({ door, clock: io.now, newId, log });
    io.stdout.write(`Weir serves ${folder} on ${baseUrl}\n`);
    await stop.asked;
    log('info', 'stopping');
    return stop.code();
  } catch (error) {
    pending.reject(error);
    throw error;
  } finally {
    await inOrder(
      [
        // Whoever waits for a reconcile is answered now: no turn begins any more.
        () => Promise.all([app.close(), started?.loop.close()]),
        // None of these waits for another, and all together may take no longer than one.
        () =>
          Promise.all([
            scheduled?.close(),
            mailer.close(),
            converging?.close(),
            autoSnapshots?.close(),
            monitor.close(),
            isolation.close(),
            notifier?.close(),
            auditStream?.close(),
          ]),
      ],
      io,
    );
    app.server.closeAllConnections();
  }
}

/** A bad tree at start is served past only where there is a good state behind it, and nobody asked to be strict. */
function refusesToStart({ failure, hasGoodState }: Started, { strictStart }: Options, io: Io): ExitCode | undefined {
  if (!failure || (hasGoodState && !strictStart)) return undefined;
  const known = failureOf(failure);
  const reason = known ? known.report.message : 'the tree cannot be applied';
  const why = strictStart
    ? 'because --strict-start asks for a good tree'
    : 'because there is no earlier state to serve';
  io.stderr.write(`weir: ${reason}: not starting, ${why}\n`);
  return known?.exitCode ?? exitCodes.invalid;
}
