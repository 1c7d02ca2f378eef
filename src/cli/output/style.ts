// Colours, or none.
import { styleText } from 'node:util';

/** Gives text a look, where there are colours. */
export type Style = (look: Look, text: string) => string;

export type Look = 'error' | 'warning' | 'place' | 'strong' | 'made' | 'changed' | 'gone' | 'faint';

const looks = {
  error: ['red', 'bold'],
  warning: ['yellow', 'bold'],
  place: 'cyan',
  strong: 'bold',
  made: 'green',
  changed: 'yellow',
  gone: 'red',
  faint: 'dim',
} as const;

/** The style of a screen with or without colours. */
export function styleOf(colours: boolean): Style {
  if (!colours) return (_look, text) => text;
  return (look, text) => styleText([...[looks[look]].flat()], text, { validateStream: false });
}
