// How a mail looks: its sentences as plain text, and the same as simple HTML with at most one link.
import { withoutTrailing } from '../core/model/without-trailing.ts';
import { oneLine } from './compose.ts';
import { escapeHtml } from './harmless.ts';
import type { Mail } from './mail.ts';

/** What a mail says. Sentences are plain text: names from people in them have been made harmless. */
export interface Content {
  readonly to: string;
  readonly subject: string;
  readonly before: readonly string[];
  /** The one link: what its button says, and where it leads. */
  readonly link: { readonly label: string; readonly address: string };
  readonly after: readonly string[];
  /** Where it comes from: the base URL. */
  readonly baseUrl: string;
}

/** Lays a mail out. */
export function layOut(content: Content): Mail {
  const { to, link, before, after } = content;
  const footer = `Sent by Weir, ${content.baseUrl}`;
  const subject = oneLine(content.subject);
  return {
    to,
    subject,
    text: `${[...before, `${link.label}:\n${link.address}`, ...after].join('\n\n')}\n\n-- \n${footer}\n`,
    html: page(subject, [...before.map(paragraph), button(link), ...after.map(paragraph), small(footer)]),
  };
}

/** An address below the base URL, whether or not that ends in a slash. `path` begins with one. */
export function addressAt(baseUrl: string, path: string): string {
  return `${withoutTrailing(baseUrl, '/')}${path}`;
}

function page(title: string, parts: readonly string[]): string {
  const style =
    'font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a;max-width:36em;margin:0 auto;padding:1em';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="${style}">
${parts.join('\n')}
</body>
</html>
`;
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function small(text: string): string {
  return `<p style="font-size:13px;color:#595959">${escapeHtml(text)}</p>`;
}

function button({ label, address }: Content['link']): string {
  const style =
    'display:inline-block;padding:.6em 1.2em;border-radius:4px;background:#0b5394;color:#ffffff;text-decoration:none';
  return `<p><a href="${escapeHtml(address)}" style="${style}">${escapeHtml(label)}</a></p>`;
}
