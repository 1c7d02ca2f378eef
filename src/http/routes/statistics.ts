// The statistics of the platform, for people and for scrapers, and the token that opens them and nothing else (specification 4.3).
import { z } from 'zod';
import { mintToken } from '../../auth/token.ts';
import { type Statistics, statisticsOf } from '../../core/model/statistics.ts';
import type { View } from '../../core/model/view.ts';
import { deleteStatisticsToken } from '../../core/proposals/delete-statistics-token.ts';
import { mintStatisticsToken } from '../../core/proposals/mint-statistics-token.ts';
import { accepts } from '../accept.ts';
import { dryRunQuery } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { matchesVersion } from '../etag.ts';
import { openMetricsType } from '../metrics/metrics.ts';
import { defineRoute, type Route } from '../route.ts';
import { planView } from '../views/config.ts';
import { exampleStatistics, expositionView, newStatisticsTokenView, statisticsView } from '../views/statistics.ts';
import { emptyAnswer, write } from '../write.ts';

const openMetrics = 'application/openmetrics-text';

const tag = 'statistics';

const getStatistics = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/stats',
  action: 'read-statistics',
  operationId: 'getStatistics',
  tag,
  summary: 'Read the statistics',
  description: `Key figures as JSON; or, where \`Accept\` names \`${openMetrics}\` (with a weight above 0), these and the metrics of Weir itself as OpenMetrics 1.0 text.`,
  answers: {
    200: {
      description: 'The statistics.',
      schema: statisticsView,
      example: () => exampleStatistics,
      also: { [openMetrics]: expositionView },
    },
  },
  handle: async ({ accept, services }) => {
    const headers = { vary: 'Accept' };
    if (!accepts(accept, openMetrics)) return { body: countedOnce(services.door.store.read()), headers };
    return { body: await services.metrics.exposition(services), type: openMetricsType, headers };
  },
});

/** Most requests come between two changes. */
function countedOnce(view: View): Statistics {
  const statistics = known.get(view) ?? statisticsOf(view);
  known.set(view, statistics);
  return statistics;
}

// A memo of what a view of the store says by itself; it goes with the view.
const known = new WeakMap<View, Statistics>();

const shared = {
  url: '/api/v1/admin/stats-token',
  action: 'manage-statistics-token',
  tag,
  query: z.strictObject(dryRunQuery),
} as const;

const dryRunAnswer = { description: 'What a dry run would do.', schema: planView };

const createToken = defineRoute({
  ...shared,
  method: 'POST',
  creates: 'StatisticsToken',
  operationId: 'createStatisticsToken',
  summary: 'Make the statistics token',
  description:
    'It opens `GET /api/v1/admin/stats` and nothing else, is shown this once, and replaces the one that there is. Refused (409) while the administration settings have `statisticsTokenAccess` off; switching that off deletes the token.',
  answers: {
    200: dryRunAnswer,
    201: {
      description: 'The token.',
      schema: newStatisticsTokenView,
      example: () => ({ token: 'weirp_…' }),
    },
  },
  handle: async (call) => {
    const { token, hash } = mintToken();
    const outcome = await write(call, mintStatisticsToken(hash));
    if ('plan' in outcome) return { body: outcome.plan };
    if (outcome.repeated) throw shownBefore();
    return { status: 201, body: { token } };
  },
});

/** Only the hash was kept: there is nothing to show again. */
function shownBefore(): Problem {
  return new Problem('idempotency_conflict', {
    detail:
      'This request has made its token already, which is shown only once: take a fresh Idempotency-Key to make another.',
  });
}

const deleteToken = defineRoute({
  ...shared,
  method: 'DELETE',
  operationId: 'deleteStatisticsToken',
  summary: 'Revoke the statistics token',
  description: 'It opens nothing from then on.',
  answers: { 200: dryRunAnswer, 204: { description: 'It is gone.' } },
  handle: async (call) => {
    const { ifMatch } = call;
    const expected = (id: string | undefined) => ifMatch === undefined || matchesVersion(ifMatch, id);
    const outcome = await write(call, deleteStatisticsToken(expected));
    return emptyAnswer(outcome);
  },
});

export const statisticsRoutes: readonly Route[] = [getStatistics, createToken, deleteToken];
