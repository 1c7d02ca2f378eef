// overlay-without-base: a document of an overlay that is only a part of an object, where nothing declares the rest.
import type { Finding } from '../model/finding.ts';
import { readable } from '../model/pointer.ts';
import { type LooseOverlay, type Rule, some, violation } from './rule.ts';

export const overlayWithoutBase: Rule = {
  id: 'overlay-without-base',
  refuses: 'a document of an overlay that is not whole, and changes nothing that the tree declares',
  *check({ door, tree }) {
    if (door !== 'tree') return;
    for (const loose of tree?.overlays ?? []) {
      const { kind, name, lacks } = loose;
      const missing = some(lacks.map(readable), lacks.length);
      const what = `has no base object, because the tree declares no ${kind}/${name}, and lacks ${missing} itself: correct its name, or write all of it`;
      if (lacks.length > 0) yield found(loose, what, loose.meant);
    }
  },
};

/** Warnings about documents of an overlay that are whole, and change nothing that the tree declares. Names that are like theirs say little: most are meant. */
export function* looseOverlays(overlays: readonly LooseOverlay[] = []): Iterable<Finding> {
  for (const loose of overlays) {
    const { kind, name, lacks } = loose;
    const what = `has no base object, because the tree declares no ${kind}/${name}: it is made from the overlay alone`;
    if (lacks.length === 0) yield { ...found(loose, what), severity: 'warning' };
  }
}

function found(loose: LooseOverlay, what: string, meant?: string): Finding {
  return { ...violation('overlay-without-base', loose, '/metadata/name', what, meant), source: loose.source };
}
