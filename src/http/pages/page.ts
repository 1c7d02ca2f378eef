// A page: one HTML document with its style and script (if it has one) inside, and a policy under which nothing else runs or loads.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A page, ready to be sent. */
export interface Page {
  readonly html: string;
  /** The Content-Security-Policy that belongs to it (CSP level 3): its own style and script by their hashes, its own server, and nothing else. */
  readonly policy: string;
}

/**
 * What a page is made from. `script` is a file beside this one (`*.script.js`: the built module of the page has its name with `.js`), as is `common.js`, which goes before it; a page that only tells something has
 * none. Links in `main` are relative, so that they lead to the same server whatever stands before its paths.
 */
export interface PageParts {
  readonly title: string;
  readonly main: string;
  readonly script?: string;
}

/**
 * Where the script tells how it went; the first thing in `main`, and one in each form and section. They are there, empty, from the beginning:
 * screen readers miss what comes together with its text.
 */
export const messages = '<div role="alert"></div><div role="status"></div>';

/** Makes a page. It holds nothing of a request: its script asks the JSON routes for that. */
export function makePage({ title, main, script }: PageParts): Page {
  const code = script === undefined ? '' : [textOf('common.js'), textOf(script)].map(withoutModules).join('\n');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Weir</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><strong>Weir</strong></header>
<main>
<h1 tabindex="-1">${title}</h1>
${code && needsScript}${main}
</main>
${code && `<script type="module">${code}</script>\n`}</body>
</html>
`;
  return { html, policy: policyOf(code) };
}

/** A page as a route answers it. */
export function pageReply(status: number, { html, policy }: Page) {
  const headers = { 'content-security-policy': policy };
  return { status, body: html, type: 'text/html; charset=utf-8', headers };
}

const needsScript = `${messages}
<noscript><p class="error">This page needs JavaScript.</p></noscript>
`;

/** Both files become one script: what one exports and the other imports is there. */
function withoutModules(code: string): string {
  return code.replace(/^export /gm, '').replace(/^import \{[^{}]*\} from '[\w./]*';\n/gm, '');
}

function policyOf(code: string): string {
  return [
    "default-src 'none'",
    `script-src ${code ? hashOf(code) : "'none'"}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function textOf(file: string): string {
  return readFileSync(new URL(`./${file}`, import.meta.url), 'utf8');
}

const style = textOf('style.css');
