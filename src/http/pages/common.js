// What all pages share: asking the server, and telling how it went. Text from the server is only ever set as text.
export const $ = (id) => document.getElementById(id);
export const query = new URLSearchParams(location.search);

/** Asks; answers `{status, body}`, or throws a problem that can be shown. */
export async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw problem({ status: 0, detail: 'The server cannot be reached: try again.' });
  }
  const text = await response.text();
  const json = (response.headers.get('content-type') ?? '').includes('json');
  const answer = json && text !== '' ? JSON.parse(text) : undefined;
  if (response.ok) return answer;
  throw problem({ status: response.status, detail: `The server answered ${response.status}.`, ...answer });
}

/** An error with what a problem of the server says. */
function problem(fields) {
  return Object.assign(new Error(fields.detail), fields);
}

/** Says something in an element with a live role, so that screen readers say it too. */
export function say(id, text) {
  const place = $(id);
  place.hidden = text === '';
  place.textContent = text;
}

/** All that is wrong, a line each. */
export function wordsOf({ violations = [], detail, message }) {
  return violations.length > 0 ? violations.map((violation) => violation.message).join('\n') : (detail ?? message);
}

export function showProblem(error) {
  say('notice', '');
  say('problem', wordsOf(error));
}

export function showNotice(text) {
  say('problem', '');
  say('notice', text);
}

/** Runs `act` with the values of a form when it is sent; its button waits meanwhile. Nothing is sent by the browser itself. */
export function onSubmit(id, act) {
  const form = $(id);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    button.disabled = true;
    say('problem', '');
    say('notice', '');
    try {
      await act(Object.fromEntries(new FormData(form)), form);
    } catch (error) {
      showProblem(error);
    } finally {
      button.disabled = false;
    }
  });
}

/** Where to go after a sign-in: a path of this server, whatever the address says. */
export function nextPath(fallback) {
  const next = query.get('next') ?? '';
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  const own = next.startsWith('/') && !next.startsWith('//') && !next.includes('\\') && url?.origin === location.origin;
  return own ? url.pathname + url.search : fallback;
}

/** An element with text or children. */
export function make(tag, content = [], attributes = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...[content].flat());
  return element;
}

/** A time for people; `never` where there is none. */
export function timeOf(text, never = 'never') {
  return text ? new Date(text).toLocaleString() : never;
}
