// Names that people chose, made safe to stand in a mail that others get.

/**
 * A name for a mail: one line, at most 100 characters, no control or invisible characters, and nothing that a mail program turns into a link.
 * A space is put after what would begin one (`http: //evil. example`, `ann @ evil. example`): no program links across a space,
 * and the name can still be read. Put it between quotes, so that people see where it begins and ends.
 */
export function harmless(name: string): string {
  const line = name
    .normalize('NFKC')
    .replaceAll(breaks, ' ')
    .replaceAll(invisible, '')
    .replaceAll(/["“”„«»]/g, "'");
  const apart = line
    .replaceAll(/(?<=\S):(?=\S)/g, ': ')
    .replaceAll(/(?<=\S)([.\u3002\u06d4\u0701])(?=\p{L}|\p{M}|-)/gu, '$1 ')
    .replaceAll(/\s?@\s?/g, ' @ ')
    .replaceAll(/\\(?=\\)/g, '\\ ');
  return shortened(apart.replaceAll(/\s+/g, ' ').trim());
}

/** Text for HTML, in content and in attributes between double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

const longest = 100;
const breaks = /[\p{Zs}\p{Zl}\p{Zp}\t\n\r\v\f\u0085]+/gu;
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u3164\u115f\u1160\u2800\p{Variation_Selector}]/gu;
