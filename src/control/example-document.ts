// The example document of a kind, as data: what the API shows is what help and the field tables show.
import { type DeclaredKindName, kindOf } from '../core/kinds/index.ts';
import { parse } from '../manifests/parse.ts';

/** The example of a kind as it is read from its text. Nothing for a kind without one. */
export function exampleDocument(kind: DeclaredKindName): unknown {
  return parse(`${kind}.yaml`, kindOf(kind).example ?? '').documents[0]?.value;
}
