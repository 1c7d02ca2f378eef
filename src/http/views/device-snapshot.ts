// What a device is given to run, and what it sends of what it runs.
import { z } from 'zod';
import { type Content, contentForm } from '../../core/instances/content.ts';
import type { Resource } from '../../core/model/resource.ts';
import { component, describedAs } from '../json-schema.ts';
import { idView } from './values.ts';

const flows = () => z.array(z.record(z.string(), z.unknown())).describe('The flows, as the runtime writes them.');
const credentials = () =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Their credentials, encrypted with the `credentialSecret` of the device; absent where there are none.');
const modules = () =>
  z.record(z.string(), z.string()).describe('The node packages to install, by name, with their versions.');

/** A snapshot as a device runs it. */
export const runnableView = component(
  'RunnableSnapshot',
  z.strictObject({
    id: idView(),
    name: z.string().describe('The name of the snapshot.'),
    flows: flows(),
    credentials: credentials(),
    modules: modules(),
    settings: z
      .strictObject({
        runtime: z
          .string()
          .optional()
          .describe('The version of the runtime that it was taken of, where that is known.'),
        options: z.record(z.string(), z.unknown()).describe('The options that it was taken with, but for secrets.'),
        environment: z
          .array(z.strictObject({ name: z.string().describe('The name.'), value: z.string().describe('The value.') }))
          .describe('The variables that it was taken with; those of the device go before.'),
      })
      .describe('What it ran with.'),
  }),
);

/** A snapshot as a device is given it. */
export function shownRunnable(
  { id, name }: Pick<Resource<'Snapshot'>, 'id' | 'name'>,
  content: Content,
): z.output<typeof runnableView> {
  const { runtime, options = {}, environment = [] } = content.settings ?? {};
  return {
    id,
    name,
    flows: content.flows,
    ...(content.credentials ? { credentials: content.credentials } : {}),
    modules: content.modules,
    settings: { ...(runtime === undefined ? {} : { runtime }), options, environment },
  };
}

/** How much a device may send at once, in bytes. */
export const mostSentBytes = 8 * 1024 * 1024;

/** What a device sends. */
export const sentBody = component(
  'SentSnapshot',
  z.strictObject({
    flows: contentForm.shape.flows.max(100_000).describe('The flows, as the runtime writes them.'),
    credentials: credentials(),
    modules: z
      .record(z.string().max(214), z.string().max(255))
      .describe('The node packages that it has, by name, with their versions.'),
    request: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The id of the request that this answers; absent: a deploy.'),
  }),
);

/** Such a body before it is read. */
export const sentBytes = describedAs(z.instanceof(Uint8Array), sentBody);

/** What a device sent, as it is kept. */
export function contentOfSent(
  { flows: sent, credentials: secret, modules: had }: z.output<typeof sentBody>,
  { environment = [], reported }: Pick<Resource<'Device'>['spec'], 'environment' | 'reported'>,
): Content {
  const { runtimeVersion: runtime } = reported ?? {};
  const settings = { ...(runtime === undefined ? {} : { runtime }), options: {}, environment: [...environment] };
  return { format: 1, flows: sent, ...(secret ? { credentials: secret } : {}), modules: had, settings };
}

/** Such a snapshot in an example. */
export const exampleRunnable: z.output<typeof runnableView> = {
  id: '3pTq8WcV1nXe6KbZy0LrGd',
  name: 'Before the new press',
  flows: [{ id: 'f6f2187d.f17ca8', type: 'tab', label: 'Press' }],
  modules: { 'node-red-node-random': '~0.4.1' },
  settings: { runtime: '4.1.15', options: {}, environment: [{ name: 'SITE', value: 'main' }] },
};
