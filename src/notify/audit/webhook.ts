// Puts entries of the audit log to a receiver, as signed webhooks.
import type { AuditReceiver } from '../../core/kinds/audit-targets.ts';
import { deliver } from '../deliver.ts';
import { keysIn } from '../sign.ts';
import { type Batch, lastOf } from './batch.ts';
import { type Desk, targetIn } from './desk.ts';
import type { Put, Sink } from './sink.ts';

/** `dropped`: how many entries the receiver has missed so far. */
export function webhookSink(desk: Desk, name: string, dropped: () => number): Sink {
  return {
    put: async (batch) => {
      const target = targetIn(desk, name);
      if (!target || !('webhook' in target)) return { came: 'later', reason: 'it is declared no more' };
      return post(desk, target.webhook, { id: idOf(batch), body: bodyOf(batch, desk.baseUrl, dropped()) });
    },
    newest: async () => undefined,
    close: async () => {},
  };
}

async function post(
  { secretOf, answerMs, clock, stop }: Desk,
  { url, secret }: AuditReceiver,
  message: { readonly id: string; readonly body: string },
): Promise<Put> {
  const found = secretOf(secret);
  if ('message' in found) return { came: 'later', reason: found.message };
  const keys = keysIn(found.value);
  if ('problem' in keys) return { came: 'later', reason: keys.problem };
  const outcome = await deliver({ url, message, ...keys, now: clock(), answerMs, signal: stop.signal });
  // Nothing is given up here: who refuses an entry now may take it once somebody has mended that.
  return outcome.came === 'taken' ? outcome : { ...outcome, came: 'later' };
}

/** The same for the same entries, whenever they are sent. */
function idOf(batch: Batch): string {
  return `audit-${batch[0].id}-${lastOf(batch).id}`;
}

function bodyOf(batch: Batch, platform: string, dropped: number): string {
  const entries = batch.map(({ json }) => json).join(',');
  const timestamp = JSON.stringify(lastOf(batch).at);
  const data = `{"platform":${JSON.stringify(platform)},"dropped":${dropped},"entries":[${entries}]}`;
  return `{"type":"audit.entries","timestamp":${timestamp},"data":${data}}`;
}
