// The audit log: all of it for admins, and that of a team for its owners.
import { z } from 'zod';
import { auditEntryOf, auditFilter } from '../../control/audit.ts';
import { shownAuditEntry } from '../../core/audit/shown.ts';
import { listBody, listView, pageQuery } from '../paging.ts';
import { recordPage } from '../record-page.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import { teamSubject } from '../subjects.ts';
import { auditEntryView, exampleAuditEntry } from '../views/audit.ts';
import { timeQuery } from '../views/values.ts';

const word = () => z.string().min(1).max(255).optional();

const query = z.strictObject({
  ...pageQuery,
  actor: word().describe('Only what this actor did: an id or name, or a kind (`config`, `job`).'),
  event: word().describe('Only this event (`team.updated`), or all whose name begins so before the dot (`team`).'),
  target: word().describe('Only what was done to this: its id, or its name at the time.'),
  since: timeQuery().describe('Only what happened at this time or later.'),
  until: timeQuery().describe('Only what happened before this time.'),
  requestId: word().describe('Only what this request did.'),
  revision: word().describe('Only what was done when this tree was applied: its digest, or how that begins.'),
});

const answers = {
  200: {
    description: 'A page of entries, newest first.',
    schema: listView('auditEntries', auditEntryView),
    example: () => ({ meta: {}, count: 1, auditEntries: [exampleAuditEntry] }),
  },
};

const whole = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/audit-log',
  action: 'read-audit-log',
  operationId: 'listAuditEntries',
  tag: 'administration',
  summary: 'Read the audit log',
  description:
    'Every change and every attempt to sign in, by whatever way in: the API, documents, commands, jobs. Newest first; `count` is as of the first page.',
  query,
  answers,
  verbatim: true,
  handle: (call) => pageOf(call, undefined),
});

const ofTeam = defineRoute({
  method: 'GET',
  url: '/api/v1/teams/:id/audit-log',
  action: 'read-team-audit-log',
  subject: teamSubject,
  operationId: 'listTeamAuditEntries',
  tag: 'teams',
  summary: 'Read the audit log of a team',
  description:
    'What happened to the team, its members, invitations, instances and devices, newest first. Without the addresses that it came from.',
  params: z.strictObject({ id: z.string().describe('The id of the team.') }),
  query,
  answers,
  verbatim: true,
  handle: (call) => pageOf(call, call.params.id),
});

async function pageOf(
  { services, query: asked }: Call<unknown, z.output<typeof query>>,
  team: string | undefined,
): Promise<Reply> {
  const { limit, cursor, since, until, ...filter } = asked;
  const found = auditFilter({ ...filter, since, until, team });
  const page = await recordPage(services, found, { ...asked, ...(team === undefined ? {} : { team }) });
  const shown = listBody('auditEntries', page, (record) => shownAuditEntry(auditEntryOf(record), team === undefined));
  return { body: shown };
}

export const auditRoutes: readonly Route[] = [whole, ofTeam];
