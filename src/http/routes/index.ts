// The registry of routes: one line an area.
import type { Route } from '../route.ts';
import { configRoutes } from './config.ts';
import { declaredRoutes } from './declared.ts';
import { descriptionRoutes } from './description.ts';
import { healthRoutes } from './health.ts';
import { instanceActionRoutes } from './instance-actions.ts';
import { instanceList } from './instance-list.ts';
import { instanceRoutes } from './instances.ts';
import { singletonRoutes } from './singletons.ts';
import { statisticsRoutes } from './statistics.ts';

/** Every route that the server has. */
export const routes: readonly Route[] = [
  ...healthRoutes,
  ...descriptionRoutes,
  ...configRoutes,
  ...declaredRoutes,
  ...singletonRoutes,
  instanceList,
  ...instanceRoutes,
  ...instanceActionRoutes,
  ...statisticsRoutes,
];
