// The kinds of which there is one: the administration settings, and what the platform is.
import { z } from 'zod';
import type { View } from '../../core/model/view.ts';
import { singleton } from '../../core/model/view.ts';
import { replaceDeclared } from '../../core/proposals/put-declared.ts';
import { dryRunQuery } from '../dry-run.ts';
import { matchesVersion } from '../etag.ts';
import { defineRoute, type Reply, type Route, writtenHeaders } from '../route.ts';
import type { Services } from '../services.ts';
import { planView } from '../views/config.ts';
import { declaredView, shownDeclared, versionOf } from '../views/declared.ts';
import { exampleReplacement, exampleShown } from '../views/example.ts';
import { write } from '../write.ts';
import { envelopeOf, replacement } from './declared.ts';

type Single = 'AdminSettings' | 'Platform';

const settingsView = declaredView('AdminSettings');
const tag = 'settings';

const getSettings = defineRoute({
  method: 'GET',
  url: '/api/v1/admin-settings',
  action: 'read-settings',
  operationId: 'getAdminSettings',
  tag,
  summary: 'Read the administration settings',
  description: 'What people may do by themselves. All switches are off until somebody sets them.',
  answers: {
    200: { description: 'The settings.', schema: settingsView, example: () => exampleShown('AdminSettings') },
  },
  handle: ({ services }) => shown(services.door.store.read(), 'AdminSettings', services),
});

const putSettings = defineRoute({
  method: 'PUT',
  url: '/api/v1/admin-settings',
  action: 'write-settings',
  operationId: 'replaceAdminSettings',
  tag,
  summary: 'Replace the administration settings',
  description:
    'A switch that is left out is off. Where a document declares the settings, it is refused if it would change them.',
  query: z.strictObject(dryRunQuery),
  body: replacement('AdminSettings'),
  bodyExample: () => exampleReplacement('AdminSettings'),
  answers: {
    200: {
      description: 'The settings, or what a dry run would change.',
      schema: z.union([settingsView, planView]),
      headers: writtenHeaders,
      example: () => exampleShown('AdminSettings'),
    },
  },
  handle: async (call) => {
    const { body } = call;
    const target = {
      kind: 'AdminSettings',
      name: 'default',
      spec: body.spec,
      ...envelopeOf(body),
      ...expected(call),
    } as const;
    const outcome = await write(call, replaceDeclared(target));
    return 'plan' in outcome ? { body: outcome.plan } : shown(outcome.view, 'AdminSettings', call.services);
  },
});

/** What was never set has a version too: that of its defaults. */
function expected({ ifMatch, services }: { readonly ifMatch?: string; readonly services: Services }) {
  if (ifMatch === undefined) return {};
  const defaults = singleton(services.door.store.read(), 'AdminSettings');
  const otherwise = defaults.generation === 0 ? versionOf(defaults) : undefined;
  return {
    expected: (current: Parameters<typeof versionOf>[0] | undefined) =>
      matchesVersion(ifMatch, current ? versionOf(current) : otherwise),
  };
}

const getPlatform = defineRoute({
  method: 'GET',
  url: '/api/v1/platform',
  action: 'read-settings',
  operationId: 'getPlatform',
  tag,
  summary: 'Read what this installation is',
  description: 'Its licence, driver, mail, limits and so on. It is declared in `weir.yaml`, and changed there.',
  answers: {
    200: { description: 'The platform.', schema: declaredView('Platform'), example: () => exampleShown('Platform') },
  },
  handle: ({ services }) => shown(services.door.store.read(), 'Platform', services),
});

function shown(view: View, kind: Single, services: Services): Reply {
  const resource = singleton(view, kind);
  return { body: shownDeclared(resource, view, services), version: versionOf(resource) };
}

export const singletonRoutes: readonly Route[] = [getSettings, putSettings, getPlatform];
