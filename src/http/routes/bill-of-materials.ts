// The bill of materials of a team: what is installed in each of its instances.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import { referrers, type View } from '../../core/model/view.ts';
import { installedIn } from '../installed.ts';
import { component } from '../json-schema.ts';
import { listBody, listView, pageOf, pageQuery, type SortKey, searchQuery, sortedBy, sortQuery } from '../paging.ts';
import { defineRoute } from '../route.ts';
import type { Installed, Services } from '../services.ts';
import { requireFeature, teamSubject } from '../subjects.ts';
import { idView } from '../views/values.ts';

const materialsView = component(
  'InstanceMaterials',
  z.strictObject({
    instance: z
      .strictObject({
        id: idView(),
        name: z.string().describe('The name that people read; not unique.'),
        state: z.string().describe('What it is doing.'),
        stack: z.string().describe('The name of its stack.'),
      })
      .describe('The instance.'),
    runtime: z
      .strictObject({ name: z.string().describe('Its package.'), version: z.string().describe('Its version.') })
      .optional()
      .describe('The runtime that it runs, or would; absent where that is not installed.'),
    modules: z
      .array(
        z.strictObject({
          name: z.string().describe('The name of the package.'),
          version: z.string().optional().describe('The version that is installed; absent where it is not there.'),
          wanted: z.string().describe('The range of versions that is asked for.'),
        }),
      )
      .describe('The modules that were added to it, by name. What those bring along is not listed.'),
  }),
);

export const billOfMaterials = defineRoute({
  params: z.strictObject({ id: z.string().describe('The id of the team.') }),
  subject: teamSubject,
  method: 'GET',
  url: '/api/v1/teams/:id/bill-of-materials',
  action: 'read-bill-of-materials',
  operationId: 'listBillOfMaterials',
  tag: 'instances',
  summary: 'Read what is installed in the instances of a team',
  description:
    'The runtime and the modules of each instance with their versions, whether it runs or not. Needs the feature `billOfMaterials`.',
  query: z.strictObject({
    ...pageQuery,
    ...searchQuery,
    ...sortQuery(['name', 'createdAt']),
    module: z.string().min(1).max(214).optional().describe('Only instances with this module or runtime, by its name.'),
  }),
  answers: {
    200: {
      description: 'A page of instances with what is installed in them.',
      schema: listView('billOfMaterials', materialsView),
      example: () => ({
        meta: {},
        count: 1,
        billOfMaterials: [
          {
            instance: { id: '7KcR2vXq9LmT4bWz1NfY8d', name: 'Packing line 1', state: 'running', stack: 'nr-5-0' },
            runtime: { name: 'node-red', version: '5.0.7' },
            modules: [{ name: 'node-red-contrib-modbus', version: '5.43.0', wanted: '^5.0.0' }],
          },
        ],
      }),
    },
  },
  handle: async ({ services, params, query }) => {
    const view = services.door.store.read();
    const team = view.get('Team', params.id);
    if (team)
      requireFeature(services, {
        team: team.id,
        feature: 'billOfMaterials',
        resource: team,
        what: 'what is installed in its instances cannot be read',
      });
    const order = query.sort ?? 'name';
    const key = (instance: Resource<'Instance'>): SortKey =>
      order.endsWith('createdAt') ? [instance.createdAt, instance.id] : [instance.name.toLowerCase(), instance.id];
    const all = sortedBy(found(view, team, query.q), key);
    const page = pageOf(await having(services, view, all, query.module), query, order, key);
    const installed = await installedIn(services, view, page.items);
    const rows = page.items.flatMap((instance, nth) => {
      const materials = installed[nth];
      return materials ? [shown(view, instance, materials)] : [];
    });
    return { body: listBody('billOfMaterials', { ...page, items: rows }, (row) => row) };
  },
});

function* found(view: View, team: Resource<'Team'> | undefined, q: string | undefined): Iterable<Resource<'Instance'>> {
  const text = q?.toLowerCase();
  for (const instance of team ? referrers(view, 'Instance', team) : [])
    if (text === undefined || instance.name.toLowerCase().includes(text)) yield instance;
}

/** Those that have a module. To find out, all of them have to be looked into. */
async function having(
  services: Services,
  view: View,
  instances: readonly Resource<'Instance'>[],
  module: string | undefined,
): Promise<readonly Resource<'Instance'>[]> {
  if (module === undefined) return instances;
  const installed = await installedIn(services, view, instances);
  return instances.filter((_, nth) => {
    const { runtime, modules = [] } = installed[nth] ?? {};
    return runtime?.name === module || modules.some(({ name }) => name === module);
  });
}

function shown(view: View, { id, name, spec }: Resource<'Instance'>, { runtime, modules }: Installed) {
  const stack = view.get('Stack', spec.stack)?.name ?? '';
  return {
    instance: { id, name, state: spec.state, stack },
    ...(runtime ? { runtime } : {}),
    modules: modules.map(({ name: module, version, wanted }) => ({
      name: module,
      ...(version === undefined ? {} : { version }),
      wanted,
    })),
  };
}
