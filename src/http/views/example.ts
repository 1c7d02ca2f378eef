// Examples of declared objects: the example document of a kind, as it is sent and as it is answered.
import { z } from 'zod';
import { exampleDocument } from '../../control/example-document.ts';
import { featureNames } from '../../core/kinds/features.ts';
import { type DeclaredKindName, kindOf } from '../../core/kinds/index.ts';
import { createState } from '../../core/model/state.ts';
import { singleton } from '../../core/model/view.ts';
import { createDeclared } from '../../core/proposals/put-declared.ts';
import { type Around, shownDeclared } from './declared.ts';

const form = z.looseObject({
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).optional() }),
  spec: z.unknown(),
});

/** The body that makes the example of a kind. */
export function exampleWritten(kind: DeclaredKindName) {
  const { metadata, spec } = form.parse(exampleDocument(kind));
  const { name, labels } = metadata;
  return { name, ...(labels ? { labels } : {}), spec };
}

/** The body that replaces the example of a kind. */
export function exampleReplacement(kind: DeclaredKindName) {
  const { spec } = exampleWritten(kind);
  return { spec };
}

/** The example of a kind, as it is answered when it was just made and nothing uses it. */
export function exampleShown(kind: DeclaredKindName) {
  const state = createState();
  const context = { now: '2026-11-21T10:00:00.000Z', newId: () => 'example', origin: 'api' } as const;
  const propose = createDeclared({ kind, ...exampleWritten(kind) });
  state.apply(propose(state, { ...context, actor: { kind: 'job', name: 'example' } }));
  const [made] = state.all(kind);
  return made && shownDeclared(made, state, aroundOf(singleton(state, 'Platform').spec.driver.kind));
}

/** A page of a list with the example of a kind. */
export function exampleList(kind: DeclaredKindName) {
  return { meta: {}, count: 1, [kindOf(kind).plural]: [exampleShown(kind)] };
}

/** A server that can do everything, and has no tree. */
function aroundOf(driver: string): Around {
  const drivers = new Map([[driver, { provides: new Set(featureNames) }]]);
  return {
    door: { facts: () => ({ drivers, certificateProblem: () => undefined }) },
    reconciler: { placesOf: () => undefined },
    baseUrl: 'https://weir.example.com',
  };
}
