// What people see in place of a page: the same for everybody, with a number that leads an administrator to the log.
import { codes, type ErrorCode } from '../errors.ts';
import { makePage, type Page } from './page.ts';

const idMark = '{request}';
const rootMark = '{root}';

/** What to do, by the code of the problem; by its status where nothing is said of the code. */
const advice: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'The address cannot be read: check it, or open the link again.',
  unauthorized: 'Sign in, then open this address again.',
  not_found: 'Check the address, or open the link again.',
  forbidden: 'You may not open this: ask an administrator if you should.',
  rate_limited: 'Too much was asked from your network: wait a minute, then load this page again.',
  unavailable: 'The server is busy, or starting: load this page again in a moment.',
  internal: 'It is not your fault. Load this page again; if that does not help, tell your administrator.',
};

const titles: Partial<Record<ErrorCode, string>> = {
  internal: 'Something went wrong',
  not_found: 'There is nothing here',
};

const pages = new Map((Object.keys(codes) as ErrorCode[]).map((code) => [code, pageOf(code)]));

function pageOf(code: ErrorCode): Page {
  return makePage({
    title: titles[code] ?? codes[code].title,
    main: `<p role="alert">${advice[code] ?? 'This page cannot be shown.'}</p>
<p>The number of this request is <code>${idMark}</code>.</p>
<p><a href="${rootMark}">Home</a></p>
<p><a href="${rootMark}account/login">Sign in</a></p>`,
  });
}

/** The page for a problem at an address. It holds nothing of the request but its id, and how deep the address is. */
export function problemPage(code: ErrorCode, requestId: string, url: string): Page {
  const page = pages.get(code) ?? pageOf(code);
  const html = page.html.replaceAll(rootMark, rootFrom(url));
  // Ids come from us, or have the form of one of ours: nothing in them means anything in HTML.
  return { ...page, html: html.replace(idMark, () => requestId.replace(/[^\w.:-]/g, '')) };
}

/** The way from an address to the root of the server, whatever stands before its paths. */
function rootFrom(url: string): string {
  const depth = (url.split('?')[0] ?? '').split('/').length - 2;
  return depth > 0 ? '../'.repeat(depth) : './';
}
