// Whether a regular expression takes no more than time in proportion to what it looks at: a proof, by recheck's automata.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Checked {
  readonly status: 'safe' | 'vulnerable' | 'unknown';
  readonly complexity?: { readonly summary: string };
  readonly attack?: { readonly pattern: string };
  readonly error?: { readonly kind: string };
}

const require = createRequire(import.meta.url);
const { version }: { version: string } = require('recheck/package.json');

/** What was proved stays so: a file each, named by what it was. */
const proofs = join(import.meta.dirname, '../../node_modules/.cache/weir/linear');

// The part of the package that is JavaScript alone: the other looks for a Java or a binary that it can run.
const {
  checkSync,
}: { checkSync(source: string, flags: string, options: object): Checked } = require('recheck/lib/browser.js');

/**
 * Why an expression is not known to be linear; nothing where it is. What is proved is one that can do more than the expression can:
 * - counts above 8 (`{1,255}`) count without end, because automata grow with them;
 * - a look to the side of bounded length is left out, and the whole made to fail at its end, so that every way through it is gone.
 */
export function whyNotLinear(source: string, flags: string): string | undefined {
  const parts = partsOf(source);
  const wide = parts.map(({ text }) => text).join('');
  if (parts.some(({ isUnbounded }) => isUnbounded)) return 'it looks to the side without bounds';
  const isWidened = parts.some(({ isLook }) => isLook);
  const proved = isWidened ? `(?:${wide.replace(/(?<!\\)\$$/, '')})\\uE000` : wide;
  const proof = join(proofs, hash('sha256', JSON.stringify([version, proved, flags])));
  if (existsSync(proof)) return undefined;
  const { status, complexity, attack, error } = checkSync(proved, flags, { checker: 'automaton', timeout: 60_000 });
  if (status === 'safe') {
    mkdirSync(proofs, { recursive: true });
    writeFileSync(proof, proved);
    return undefined;
  }
  return complexity ? `${complexity.summary}, as for ${attack?.pattern ?? '?'}` : `it cannot be proved: ${error?.kind}`;
}

interface Part {
  readonly text: string;
  readonly isLook?: boolean;
  readonly isUnbounded?: boolean;
}

const token = /\\(?:[pPu]\{[^}]*\}|[\s\S])|\[(?:[^\]\\]|\\[\s\S])*\]|\(\?<?[=!]|\(|\)|\{\d+(?:,\d*)?\}|[\s\S]/g;

/** The pieces of an expression, with counts that have no bounds, and without what looks to the side. */
function partsOf(source: string): readonly Part[] {
  const made: Part[] = [];
  let [depth, look] = [0, -1];
  for (const [piece] of source.matchAll(token)) {
    if (piece.startsWith('(') && piece !== '\\(') depth += 1;
    if (look < 0 && /^\(\?<?[=!]$/.test(piece)) {
      look = depth;
      made.push({ text: '', isLook: true });
    } else if (look < 0) made.push({ text: widened(piece) });
    else if (/^[*+]$|^\{\d+,\}$/.test(piece)) made.push({ text: '', isUnbounded: true });
    if (piece !== ')') continue;
    if (depth === look) look = -1;
    depth -= 1;
  }
  return made;
}

function widened(piece: string): string {
  const [, least, , most] = /^\{(\d+)(,(\d*))?\}$/.exec(piece) ?? [];
  if (least === undefined) return piece;
  const bound = piece.includes(',') ? Number(most === '' ? 9 : most) : Number(least);
  if (bound <= 8) return piece;
  return least === '0' ? '*' : '+';
}
