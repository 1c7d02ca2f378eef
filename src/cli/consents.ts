// What a command line consents to.
import { declaredKindNames } from '../core/kinds/index.ts';
import { suggest } from '../core/model/suggest.ts';
import type { Consents } from '../core/rules/rule.ts';
import { type Options, UsageError } from '../options.ts';

/** The consents of `--allow-deletes` and `--adopt`. Throws `UsageError` for what is no address. */
export function consentsOf({ allowDeletes, adopt }: Options): Consents {
  const addresses = new Set(adopt.map(addressIn));
  return { adopt: addresses, ...(allowDeletes === undefined ? {} : { allowDeletes }) };
}

/** `KIND/NAME`, with its kind checked. Throws `UsageError`. */
export function addressIn(text: string): string {
  const [kind = '', name = '', ...rest] = text.split('/');
  if (name === '' || rest.length > 0)
    throw new UsageError(`${JSON.stringify(text)} names no object: write KIND/NAME, as in Stack/nr-4`);
  return `${kindIn(kind)}/${name}`;
}

/** The name of a declared kind, whatever the case of its letters. Throws `UsageError`. */
export function kindIn(text: string): (typeof declaredKindNames)[number] {
  const kind = declaredKindNames.find((name) => name.toLowerCase() === text.toLowerCase());
  if (kind) return kind;
  const nearest = suggest(text, declaredKindNames);
  const advice = nearest === undefined ? `write one of ${declaredKindNames.join(', ')}` : `did you mean ${nearest}?`;
  throw new UsageError(`there is no kind ${JSON.stringify(text)}: ${advice}`);
}
