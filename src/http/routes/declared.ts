// The kinds that documents declare, over the API: one implementation for all of them, driven by the registry of kinds.
import { z } from 'zod';
import type { Action } from '../../core/access/policy.ts';
import { envelope } from '../../core/kinds/envelope.ts';
import { type DeclaredKindName, declaredKindNames, kindOf } from '../../core/kinds/index.ts';
import { name, partsOf } from '../../core/kinds/kind.ts';
import { wordsOf } from '../../core/kinds/words.ts';
import type { DeclaredResource, Labels, Lifecycle } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { deleteDeclared } from '../../core/proposals/delete-declared.ts';
import { createDeclared, type Expectation, missing, replaceDeclared } from '../../core/proposals/put-declared.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { matchesVersion } from '../etag.ts';
import { component, describedAs } from '../json-schema.ts';
import { listBody, listView, pageOf, pageQuery, type SortKey, searchQuery, sortedBy, sortQuery } from '../paging.ts';
import {
  type Call,
  defineRoute,
  madeHeaders,
  type Reply,
  type Route,
  variablesBodyLimit,
  writtenHeaders,
} from '../route.ts';
import type { Services } from '../services.ts';
import { planView } from '../views/config.ts';
import { declaredView, shownDeclared, versionOf } from '../views/declared.ts';
import { exampleList, exampleReplacement, exampleShown, exampleWritten } from '../views/example.ts';
import { emptyAnswer, type Outcome, write } from '../write.ts';

/** The spec of a kind as it is written over the API: checked when it is proposed, because a secret may be kept. */
export function writtenSpecOf(kind: DeclaredKindName) {
  return describedAs(z.unknown(), component(`${kind}Spec`, kindOf(kind).spec)).describe(
    'What is wanted; what is left out has its default.',
  );
}

/** Whoever wrote labels in a document writes them here in the same way. */
export const { labels } = envelope.shape.metadata.shape;

/** All of a lifecycle, as a document has it. */
export const lifecycle = envelope.shape.lifecycle;

/** `{lifecycle?}` and `{labels?}`: what is left out stays as it is. */
export function replacement(kind: DeclaredKindName) {
  return component(
    `${kind}Replacement`,
    z.strictObject({
      spec: writtenSpecOf(kind),
      labels: labels.unwrap().optional().describe('Free marks; absent: as they are.'),
      lifecycle: lifecycle.unwrap().optional().describe('How it may change and go; absent: as it is.'),
    }),
  );
}

function routesOf(kind: DeclaredKindName): readonly Route[] {
  const { path, plural, summary, spec } = kindOf(kind);
  const [read, change]: readonly [Action, Action] =
    kind === 'SsoConfig' ? ['read-sso-configs', 'write-sso-configs'] : ['read-catalogue', 'write-catalogue'];
  const url = `/api/v1/${path}`;
  const view = declaredView(kind);
  const params = z.strictObject({ name: z.string().min(1).max(63).describe('The name of the object.') });
  const common = { tag: 'declared kinds', description: `${kind}: ${summary}` } as const;
  const large = kind === 'Template' ? { bodyLimit: variablesBodyLimit } : {};
  const example = () => exampleShown(kind);
  const one = { 200: { description: 'The object.', schema: view, example } };
  const parts = partsOf(spec);
  const sorts = parts.type === 'object' && 'order' in parts.fields ? ['order', 'name'] : ['name'];

  const sorted = sortedOnce(kind);

  const list = defineRoute({
    ...common,
    method: 'GET',
    url,
    action: read,
    operationId: `list${plural.charAt(0).toUpperCase()}${plural.slice(1)}`,
    summary: `List ${wordsOf(kind)}s`,
    query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(sorts) }),
    answers: {
      200: { description: 'A page of objects.', schema: listView(plural, view), example: () => exampleList(kind) },
    },
    handle: ({ services, query }) => {
      const state = services.door.store.read();
      const order = query.sort ?? sorts[0] ?? 'name';
      const { q } = query;
      const all = sorted(state, order.replace('-', ''));
      const found = q === undefined ? all : all.filter((resource) => isNamed(resource, q.toLowerCase()));
      const page = pageOf(found, query, order, (resource) => keyOf(resource, order));
      return { body: listBody(plural, page, (resource) => shownDeclared(resource, state, services)) };
    },
  });

  const get = defineRoute({
    ...common,
    method: 'GET',
    url: `${url}/:name`,
    action: read,
    operationId: `get${kind}`,
    summary: `Read ${aWord(kind)}`,
    params,
    answers: one,
    handle: ({ services, params: { name: wanted } }) => shownIn(services.door.store.read(), kind, wanted, services),
  });

  const create = defineRoute({
    ...common,
    method: 'POST',
    url,
    action: change,
    creates: kind,
    operationId: `create${kind}`,
    summary: `Make ${aWord(kind)}`,
    query: z.strictObject(dryRunQuery),
    body: component(
      `New${kind}`,
      z.strictObject({
        name: name().describe('The name, unique within the kind.'),
        labels: labels.unwrap().optional().describe('Free marks.'),
        spec: writtenSpecOf(kind),
      }),
    ),
    ...large,
    bodyExample: () => exampleWritten(kind),
    answers: {
      200: tried,
      201: { description: 'The object that was made.', schema: view, example, headers: madeHeaders },
    },
    handle: async (call) => {
      const { body, services } = call;
      const outcome = await write(
        call,
        createDeclared({ kind, name: body.name, spec: body.spec, ...envelopeOf(body) }),
      );
      if ('plan' in outcome) return { body: outcome.plan };
      const headers = { location: `${url}/${body.name}` };
      return { status: 201, headers, ...shownIn(outcome.view, kind, body.name, services) };
    },
  });

  const replace = defineRoute({
    ...common,
    method: 'PUT',
    url: `${url}/:name`,
    action: change,
    operationId: `replace${kind}`,
    summary: `Replace the spec of ${aWord(kind)}`,
    params,
    query: z.strictObject(dryRunQuery),
    body: replacement(kind),
    ...large,
    bodyExample: () => exampleReplacement(kind),
    answers: {
      200: {
        description: 'The object, or what a dry run would change.',
        schema: z.union([view, planView]),
        example,
        headers: writtenHeaders,
      },
    },
    handle: async (call) => {
      const target = {
        kind,
        name: call.params.name,
        spec: call.body.spec,
        ...envelopeOf(call.body),
        ...expectedBy(call),
      };
      return replyOf(await write(call, replaceDeclared(target)), kind, call.params.name, call.services);
    },
  });

  const remove = defineRoute({
    ...common,
    method: 'DELETE',
    url: `${url}/:name`,
    action: change,
    operationId: `delete${kind}`,
    summary: `Delete ${aWord(kind)}`,
    params,
    query: z.strictObject(dryRunQuery),
    answers: { 200: tried, 204: { description: 'It is gone.' } },
    handle: async (call) => {
      const outcome = await write(call, deleteDeclared({ kind, name: call.params.name, ...expectedBy(call) }));
      return emptyAnswer(outcome);
    },
  });

  return [list, get, create, replace, remove];
}

/** An object as an answer. Throws `Declined` where there is none. */
function shownIn(view: View, kind: DeclaredKindName, wanted: string, services: Services): Reply {
  const resource = view.named(kind, wanted);
  if (!resource || resource.name !== wanted) throw missing({ kind, name: wanted });
  return { body: shownDeclared(resource, view, services), version: versionOf(resource) };
}

function replyOf(outcome: Outcome, kind: DeclaredKindName, wanted: string, services: Services): Reply {
  return 'plan' in outcome ? { body: outcome.plan } : shownIn(outcome.view, kind, wanted, services);
}

interface EnvelopeParts {
  readonly labels?: Labels | undefined;
  readonly lifecycle?: Lifecycle | undefined;
}

/** What a replacement says of labels and lifecycle: what is left out stays as it is. */
export function envelopeOf({ labels: marks, lifecycle: fate }: EnvelopeParts) {
  return { ...(marks === undefined ? {} : { labels: marks }), ...(fate === undefined ? {} : { lifecycle: fate }) };
}

/** What If-Match asks of the object as it is when it is changed. */
export function expectedBy({ ifMatch }: Pick<Call, 'ifMatch'>): { readonly expected?: Expectation } {
  if (ifMatch === undefined) return {};
  return { expected: (current) => matchesVersion(ifMatch, current && versionOf(current)) };
}

/** `q` in lower case. */
function isNamed({ name: own, spec }: DeclaredResource, q: string): boolean {
  const label = 'label' in spec ? spec.label : '';
  return [own, label].some((text) => text.toLowerCase().includes(q));
}

/** Sorts all of a kind, once for each state of the store: most requests come between two changes. */
function sortedOnce(kind: DeclaredKindName): (view: View, order: string) => readonly DeclaredResource[] {
  const known = new WeakMap<View, Map<string, readonly DeclaredResource[]>>();
  return (view, order) => {
    const orders = known.get(view) ?? new Map<string, readonly DeclaredResource[]>();
    const sorted = orders.get(order) ?? sortedBy(view.all(kind), (resource) => keyOf(resource, order));
    known.set(view, orders.set(order, sorted));
    return sorted;
  };
}

function keyOf({ name: own, spec }: DeclaredResource, order: string): SortKey {
  return order.endsWith('order') && 'order' in spec ? [spec.order, own] : [own, own];
}

/** `InstanceType` → `an instance type`. */
function aWord(kind: DeclaredKindName): string {
  return `${kind.startsWith('I') ? 'an' : 'a'} ${wordsOf(kind)}`;
}

export const declaredRoutes: readonly Route[] = declaredKindNames
  .filter((kind) => kindOf(kind).singleton === undefined)
  .flatMap(routesOf);
