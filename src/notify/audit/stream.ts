// Streams the audit log out: one teller a target, each of which reads the log onward from where its target stands.
import type { AuditTargetStanding } from '../../control/audit-delivered.ts';
import { submit } from '../../control/submit.ts';
import { auditTargetsIn, forgetAuditDelivered } from '../../core/proposals/note-audit-delivered.ts';
import { messageOf } from '../../lib/message-of.ts';
import { type AuditStreamOptions, contextOf, type Desk, deskOf, targetIn } from './desk.ts';
import { fileSink } from './file.ts';
import { hear, standingOf, type Teller, tellerOf, work } from './teller.ts';
import { webhookSink } from './webhook.ts';

/** The audit log, on its way. */
export interface AuditStream {
  /** How each declared target stands. */
  standings(): readonly AuditTargetStanding[];
  /** Ends soon, whoever does not answer; what was not delivered is at the next start. */
  close(): Promise<void>;
}

/** Starts to deliver, on the server that leads. */
export function startAuditStream(options: AuditStreamOptions): AuditStream {
  const office: Office = { desk: deskOf(options), tellers: new Map() };
  const { desk, tellers } = office;
  let unsubscribe = () => {};
  desk.door.store.lead('audit-stream', (lost) => {
    if (desk.closing.signal.aborted) return;
    const end = () => {
      beginClosing(office);
      desk.stop.abort();
    };
    lost.addEventListener('abort', end, { once: true });
    unsubscribe = follow(office);
    assign(office);
  });
  return {
    standings: () => [...tellers.values()].map(({ teller }) => standingOf(teller)),
    close: async () => {
      unsubscribe();
      beginClosing(office);
      const late = setTimeout(() => desk.stop.abort(), desk.closeMs);
      await Promise.all([...tellers.values()].map(({ done }) => done));
      clearTimeout(late);
    },
  };
}

interface Office {
  readonly desk: Desk;
  readonly tellers: Map<string, { readonly teller: Teller; readonly done: Promise<void> }>;
}

/** Nothing new is begun. */
function beginClosing({ desk, tellers }: Office): void {
  desk.closing.abort();
  for (const { teller } of tellers.values()) teller.wake();
}

/** Hears of entries, and of what is declared otherwise. */
function follow(office: Office): () => void {
  return office.desk.door.store.subscribe((entry) => {
    if (entry === 'reset' || entry.changes.some(({ kind }) => kind === 'Platform')) assign(office);
    const made = entry === 'reset' ? [] : entry.records.filter(({ stream }) => stream === 'audit');
    if (made.length > 0) for (const { teller } of office.tellers.values()) hear(teller, made);
  });
}

/** Gives each declared target a teller, and has those that work look again at what is declared. */
function assign(office: Office): void {
  const { desk, tellers } = office;
  const view = desk.door.store.read();
  const names = new Set(auditTargetsIn(view).map(({ name }) => name));
  for (const { teller } of tellers.values()) {
    teller.changed.abort();
    teller.changed = new AbortController();
    teller.wake();
  }
  for (const name of names) if (!tellers.has(name)) employ(office, name);
  if ([...view.all('AuditDelivered')].some(({ name }) => !names.has(name)))
    submit(desk.door, forgetAuditDelivered, contextOf(desk)).catch(() => {});
}

function employ(office: Office, name: string): void {
  const { desk, tellers } = office;
  const target = targetIn(desk, name);
  if (!target) return;
  const teller = tellerOf(desk, name, (progress) =>
    'webhook' in target ? webhookSink(desk, name, progress.dropped) : fileSink(desk, name),
  );
  const done = work(teller)
    .catch((error: unknown) => desk.log('error', `the audit log does not go to ${name} any more: ${messageOf(error)}`))
    .finally(() => {
      tellers.delete(name);
      // It may have come back since it was last looked at.
      if (!desk.closing.signal.aborted) employ(office, name);
    });
  tellers.set(name, { teller, done });
}
