// duplicate-object: one resource a kind and name. Documents that declare one twice are found while the tree is read.
import { isDeclaredKind } from '../kinds/index.ts';
import type { DeclaredResource } from '../model/resource.ts';
import { nameKey, type View } from '../model/view.ts';
import { type Batch, type Rule, violation, written } from './rule.ts';

export const duplicateObject: Rule = {
  id: 'duplicate-object',
  refuses:
    'one kind and name declared twice, or made where there is one already; a previous name that cannot be followed',
  perChange: true,
  *check(batch) {
    for (const { kind, before, after } of batch.changes) {
      if (!after || !isDeclaredKind(kind) || before?.name === after.name) continue;
      if (batch.after.countHaving(kind, nameKey(after.name)) > 1)
        yield violation('duplicate-object', after, '', 'cannot be made, because there is one of this name already');
    }
    yield* sameAddresses(batch);
  },
};

/** The addresses of a SAML configuration hold the name that it was made with: nobody else can be made with that as long as it is there. */
function* sameAddresses(batch: Batch) {
  let holders: ReadonlyMap<string, DeclaredResource> | undefined;
  for (const { before, after } of written(batch, 'SsoConfig')) {
    if (before || after.spec.provider !== 'saml') continue;
    holders ??= holdersIn(batch.after);
    const holder = holders.get(after.name);
    if (holder && holder.id !== after.id)
      yield violation(
        'duplicate-object',
        after,
        '',
        `cannot be made, because SsoConfig/${holder.name} was made with this name and keeps its addresses: choose another`,
      );
  }
}

/** The SAML configurations that have another name now, by the names that they were made with. */
function holdersIn(view: View): ReadonlyMap<string, DeclaredResource> {
  const saml = [...view.all('SsoConfig')].filter(({ spec }) => spec.provider === 'saml');
  return new Map(saml.flatMap((config) => (config.firstName === undefined ? [] : [[config.firstName, config]])));
}
