// What is told of an attempt to apply a tree: which events it makes, and the message of each. Nothing in it is secret, and it is never large.
import { type Drifted, driftCount, type HistoryEntry } from '../control/config-status.ts';
import { historyEntry } from '../control/history.ts';
import type { NotificationEvent } from '../core/kinds/notifications.ts';
import type { Finding } from '../core/model/finding.ts';
import type { StoreRecord } from '../store/store.ts';

/** One message. `id` is the same in every try. */
export interface Message {
  readonly id: string;
  readonly event: NotificationEvent;
  /** JSON, at most 20 KiB. */
  readonly body: string;
}

/** The messages that an attempt makes, by what came before it; `platform` is the address of the server. */
export function messagesOf(record: StoreRecord, before: StoreRecord | undefined, platform: string): Message[] {
  const entry = historyEntry(record);
  return eventsOf(entry, before && historyEntry(before)).map((event) => ({
    id: `${record.id}-${event}`,
    event,
    body: bodyOf(event, entry, platform),
  }));
}

/** What there is to tell of an attempt. What was told of the attempt before is not told again. */
export function eventsOf(entry: HistoryEntry, before: HistoryEntry | undefined): NotificationEvent[] {
  const events: NotificationEvent[] = [];
  if (entry.result === 'refused' && !(before && isSameRefusal(entry, before))) events.push('refused');
  if (driftOf(entry) !== '[]' && !(before && isSameDrift(entry, before))) events.push('drifted');
  if (entry.result === 'applied') events.push('applied');
  if (before && isBad(before) && !isBad(entry)) events.push('recovered');
  return events;
}

/** Whether somebody has to do something about it. */
function isBad({ result, drift = [] }: HistoryEntry): boolean {
  return result === 'refused' || drift.some(({ left }) => left);
}

/** A server that is started again, or a file that is written again as it was, finds what was told. */
function isSameRefusal(entry: HistoryEntry, before: HistoryEntry): boolean {
  const gist = ({ revision, missing, findings }: HistoryEntry) => JSON.stringify([revision, missing, findings]);
  return before.result === 'refused' && gist(entry) === gist(before);
}

function isSameDrift(entry: HistoryEntry, before: HistoryEntry): boolean {
  return (entry.drift ?? []).every(({ left }) => left) && driftOf(entry) === driftOf(before);
}

function driftOf({ drift = [], driftTotal, gone }: HistoryEntry): string {
  const told = drift.map(({ address, fields, by }) => [address, fields, by?.at]);
  return JSON.stringify(driftTotal === undefined ? told : [told, driftTotal, gone]);
}

/** Standard Webhooks advises to stay below 20 kB. */
const mostBytes = 20 * 1024;

const mostListed = 20;

function bodyOf(event: NotificationEvent, entry: HistoryEntry, platform: string): string {
  for (let listed = mostListed; ; listed = Math.floor(listed / 2)) {
    const body = JSON.stringify({
      type: `config.${event}`,
      timestamp: entry.at,
      data: { event, platform, ...dataOf(entry, listed) },
    });
    if (Buffer.byteLength(body) <= mostBytes || listed === 0) return body;
  }
}

/** Field by field: what history may keep one day shall not leave by itself. */
function dataOf(entry: HistoryEntry, listed: number) {
  const { revision, commit, dirty, trigger, result, summary, errors, warnings, durationMs, missing, actor } = entry;
  const { findings, drift = [] } = entry;
  return {
    revision,
    ...(commit === undefined ? {} : { commit }),
    ...(dirty === undefined ? {} : { dirty }),
    trigger,
    result,
    summary,
    errors,
    warnings,
    durationMs,
    ...(actor === undefined ? {} : { actor: short(actor) }),
    ...(missing === undefined ? {} : { missing: short(missing) }),
    findings: findings.slice(0, listed).map(shownFinding),
    ...(drift.length === 0 ? {} : { drift: drift.slice(0, listed).map(shownDrift), drifted: driftCount(entry) }),
  };
}

function shownFinding({ rule, severity, message, kind, name, path, source }: Finding) {
  const place = source && { file: short(source.file), line: source.line, column: source.column };
  return {
    rule,
    severity,
    message: short(message),
    ...(kind === undefined ? {} : { kind }),
    ...(name === undefined ? {} : { name: short(name) }),
    ...(path === undefined ? {} : { path: short(path) }),
    ...(place ? { source: place } : {}),
  };
}

function shownDrift({ address, action, fields, left, by }: Drifted) {
  const who = by && { actor: short(by.actor), at: by.at };
  return { address, action, fields: fields.slice(0, mostListed).map(short), left, ...(who ? { by: who } : {}) };
}

const mostCharacters = 500;

function short(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;
}
