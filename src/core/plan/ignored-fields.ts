// What `lifecycle.ignore` names has to be there to be left to the API.
import { kindOf } from '../kinds/index.ts';
import { partsOf } from '../kinds/kind.ts';
import { fieldIn } from '../model/children.ts';
import type { Finding } from '../model/finding.ts';
import { pointer, stepsOf } from '../model/pointer.ts';
import { suggest } from '../model/suggest.ts';
import type { Subject } from './desired.ts';
import { findingIn } from './finding-in.ts';

/** Pointers that name no field of the kind. Items of a named list are named by their name (`/spec/instanceTypes/small/limit`). */
export function ignoreProblems(at: Subject, ignore: readonly string[]): Finding[] {
  const found: Finding[] = [];
  for (const [index, path] of ignore.entries()) {
    const problem = problemOf(at, stepsOf(path));
    if (!problem) continue;
    const what = `lifecycle.ignore[${index}] cannot be ${path}, because ${problem.because}`;
    found.push(findingIn(at, ['lifecycle', 'ignore', index], 'value', what, problem.meant));
    // More than are told: each has to be looked for in the document.
    if (found.length > most) break;
  }
  return found;
}

const most = 100;

function problemOf({ kind }: Subject, steps: readonly string[]): { because: string; meant?: string } | undefined {
  let schema: Parameters<typeof partsOf>[0] | undefined = kindOf(kind).spec;
  for (const [depth, step] of steps.entries()) {
    if (depth === 0) continue;
    const parts = partsOf(schema);
    const above = pointer(...steps.slice(0, depth));
    if (parts.type === 'list' && parts.namedBy) schema = parts.item;
    else if (parts.type !== 'object') return { because: `${above} has no parts: name the whole of it`, meant: above };
    else {
      const field = fieldIn(parts, step);
      if (field === undefined)
        return { because: `${kind} has no such field`, ...nearest(above, step, Object.keys(parts.fields)) };
      schema = field;
    }
  }
  return undefined;
}

function nearest(above: string, step: string, fields: readonly string[]): { meant?: string } {
  const meant = suggest(step, fields);
  return meant === undefined ? {} : { meant: `${above}${pointer(meant)}` };
}
