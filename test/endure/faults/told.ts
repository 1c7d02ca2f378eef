// What the server tells of itself: its conditions, and its metrics.
import { ask } from '../requests.ts';
import type { World } from '../world.ts';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The status of the configuration. */
// biome-ignore lint/suspicious/noExplicitAny: what the answer has is in the description of the API.
export async function statusOf(world: World): Promise<any> {
  return (await ask(world, 'GET', '/api/v1/admin/config')).body;
}

/** One of its conditions. */
export async function conditionOf(world: World, type: string): Promise<Condition | undefined> {
  const { conditions } = await statusOf(world);
  return conditions.find((one: Condition) => one.type === type);
}

/** The figure of a metric that has no labels. */
export async function metricOf(world: World, name: string): Promise<number> {
  const answer = await fetch(`${world.life().url}/api/v1/admin/stats`, {
    headers: { authorization: `Bearer ${world.admin}`, accept: 'application/openmetrics-text' },
  });
  const text = await answer.text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
