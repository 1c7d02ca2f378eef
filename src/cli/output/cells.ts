// How wide text is on a terminal, so that carets stand under what they mean.
import { escaped } from './escape.ts';

/** A line as it is shown, and where each of its UTF-16 units begins there, in cells; the last entry is the width of all. */
export interface Shown {
  readonly text: string;
  readonly cells: readonly number[];
}

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Shows a line: tabs as four spaces, control characters as escapes. */
export function show(line: string): Shown {
  const cells: number[] = [];
  let text = '';
  let width = 0;
  for (const { segment } of segments.segment(line)) {
    const piece = segment === '\t' ? '    ' : escaped(segment);
    for (let unit = 0; unit < segment.length; unit++) cells.push(width);
    text += piece;
    width += piece === segment ? widthOf(segment) : piece.length;
  }
  return { text, cells: [...cells, width] };
}

/** The cells that a text takes on a terminal. */
export function widthOfText(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return show(text).cells.at(-1) ?? 0;
}

/** The part of a shown line that lies between two cells. */
export function cut({ text }: Shown, from: number, to: number): string {
  let at = 0;
  let part = '';
  for (const { segment } of segments.segment(text)) {
    const width = widthOf(segment);
    if (at >= from && at + width <= to) part += segment;
    else if (at + width > from && at < to) part += ' '.repeat(Math.min(at + width, to) - Math.max(at, from));
    at += width;
  }
  return part;
}

/** One character as people see it: nothing, one cell or two. */
function widthOf(grapheme: string): number {
  if (/^[\p{Mark}\p{Cf}]+$/u.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}

// East Asian wide and full-width forms (Unicode annex 11), and emoji.
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
