// The log of an instance, in pages from its end.
import { z } from 'zod';
import { decodeCursor, encodeCursor, listBody, listView, pageQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { instantView } from '../views/values.ts';
import { ofInstance } from './instances.ts';

const lineView = z.strictObject({
  at: instantView('When it was logged; absent for what something in the runtime just printed.').optional(),
  level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).optional().describe('How grave it is.'),
  message: z.string().describe('The line.'),
});

const readLogs = defineRoute({
  ...ofInstance,
  method: 'GET',
  url: '/api/v1/instances/:id/logs',
  action: 'read-instance-logs',
  operationId: 'listInstanceLogLines',
  tag: 'instances',
  summary: 'Read the log of an instance',
  description:
    'The last lines, in the order in which they were written; the next page holds those before them. What is older than the latest 5 MiB may be gone.',
  query: z.strictObject(pageQuery),
  answers: {
    200: {
      description: 'A page of lines.',
      schema: listView('lines', lineView),
      example: () => ({
        meta: {},
        count: 1,
        lines: [{ at: '2026-11-21T10:00:02.000Z', level: 'info', message: 'Started flows' }],
      }),
    },
  },
  handle: async ({ params: { id }, query: { limit, cursor }, services }) => {
    const before = cursor === undefined ? undefined : decodeCursor(cursor, cursorOf(id))[1];
    const { lines, count, next } = (await services.instanceLogs?.(id, { limit, before })) ?? { lines: [], count: 0 };
    const page = { items: lines, count, ...(next === undefined ? {} : { next: encodeCursor([id, next]) }) };
    return { body: listBody('lines', page, (line) => line) };
  },
});

function cursorOf(id: string) {
  return z.tuple([z.literal(id), z.int().min(0)]);
}

export const instanceLogRoutes: readonly Route[] = [readLogs];
