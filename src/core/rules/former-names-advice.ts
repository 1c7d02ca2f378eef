// Warnings about previous names that say nothing: nobody can have been called so.
import { declaredKindNames } from '../kinds/index.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { type Advice, warning } from './warning.ts';

/** The id of the warning. */
export const previousNameWithoutEffect = 'previous-name-without-effect';

export const formerNames: Advice = {
  id: previousNameWithoutEffect,
  warns: 'a previous name that has no effect',
  kinds: declaredKindNames,
  *advise(resource, view) {
    for (const [index, previous] of (resource.previousNames ?? []).entries()) {
      const reason = reasonFor(resource, previous, view);
      if (reason === undefined) continue;
      const what = `the previous name "${previous}" has no effect, because ${reason}: take it out of previousNames`;
      yield warning(previousNameWithoutEffect, resource, `/metadata/previousNames/${index}`, what);
    }
  },
};

/** A name that is declared may be on its way to somebody else, where its document has previous names of its own: in a line or a circle. */
function reasonFor({ kind, name }: DeclaredResource, previous: string, view: View): string | undefined {
  if (previous === name) return 'that is its name now';
  const holder = view.named(kind, previous);
  const goesOn = holder?.previousNames?.some((one) => one !== previous) ?? false;
  return holder && !goesOn ? `${kind}/${previous} is declared beside it` : undefined;
}
