// What all pages share: asking the server, and telling how it went. Text from the server is only ever set as text.
export const $ = (id) => document.getElementById(id);
export const query = new URLSearchParams(location.search);

// What stands before /account/ in the address: a proxy may serve the platform below a path of its own.
const root = /^(.*)\/account\/[^/]+(?:\/[^/]+)?$/.exec(location.pathname)?.[1] ?? '';

/** The address of a path of this server. */
export function at(path) {
  return root + path;
}

/** Asks; answers the body, or throws a problem that can be shown. */
export async function ask(method, path, body) {
  let response;
  let text;
  try {
    response = await fetch(at(path), {
      method,
      credentials: 'same-origin',
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    throw problem({ status: 0, detail: 'The server cannot be reached. Nothing is lost here: try again.' });
  }
  const answer = parsed(text);
  if (response.ok) return answer;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  throw problem({ status: response.status, detail: plainWords(response), requestId, ...answer });
}

/** Asks for whoever is signed in. Where that has ended the page is left, to sign in and come back. */
export async function askAsUser(method, path, body) {
  try {
    return await ask(method, path, body);
  } catch (error) {
    if (error.status !== 401) throw error;
    return leave(signInPath());
  }
}

/** Where to sign in and come back here. */
export function signInPath() {
  return at(`/account/login?next=${encodeURIComponent(location.pathname)}`);
}

/** Leaves the page. Never ends, so that nothing is sent twice meanwhile. */
export function leave(address) {
  location.assign(address);
  return new Promise(() => {});
}

// A page that comes back by the Back button shows what was, and may still wait for what it had asked.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

// The second press of a double click may meet a link that has come to where the button was.
addEventListener('click', (event) => {
  if (event.detail > 1 && event.target.closest('a')) event.preventDefault();
});

/** Where to go after a sign-in: an address of this server, whatever the query says. */
export function nextAddress(fallback) {
  const next = query.get('next') ?? '';
  // As a whole address: the path of /..//elsewhere.example is //elsewhere.example, which would be an address elsewhere.
  const url = next.startsWith('/') && URL.canParse(next, location.origin) ? new URL(next, location.origin) : undefined;
  return url?.origin === location.origin ? url.href : at(fallback);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error with what a problem of the server says. */
function problem(fields) {
  return Object.assign(new Error(fields.detail), fields);
}

/** For answers that are not ours: a proxy's, for example. */
function plainWords({ status, headers }) {
  const seconds = headers.get('retry-after');
  const when = seconds ? `in ${seconds} seconds` : 'later';
  return `The server answered with an error (${status}): try again ${when}.`;
}

/** Says something near an element, where screen readers hear it too: `alert` for what went wrong, `status` for what went well. */
export function tell(element, role, ...lines) {
  clearMessages();
  const place = placeNear(element, role);
  place.replaceChildren(...lines.map((line) => make('p', line)));
  place.scrollIntoView({ block: 'nearest' });
}

function placeNear(element, role) {
  return element.closest('form, section, main').querySelector(`:scope > [role=${role}]`);
}

export function clearMessages() {
  for (const place of document.querySelectorAll('[role=alert], [role=status]')) place.replaceChildren();
  for (const error of document.querySelectorAll('.error')) error.remove();
  for (const field of document.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    describe(field, (ids) => ids.filter((id) => id !== errorIdOf(field)));
  }
}

/** Shows what went wrong: what is about a field beside it, the rest near `element`. */
export function showProblem(element, { violations = [], detail, message }) {
  const fields = new Set();
  const rest = [];
  for (const violation of violations) {
    const field = fieldOf(element, violation);
    if (field && !fields.has(field)) mark(field, wordsOf(violation));
    else rest.push(wordsOf(violation));
    if (field) fields.add(field);
  }
  if (violations.length === 0) rest.push(detail ?? message);
  if (rest.length > 0) placeNear(element, 'alert').replaceChildren(...rest.map((line) => make('p', line)));
  const [first] = fields;
  if (first) first.focus();
  else placeNear(element, 'alert').scrollIntoView({ block: 'nearest' });
}

function fieldOf(element, { path = '' }) {
  const field = element instanceof HTMLFormElement ? element.elements.namedItem(path.split('/')[1] ?? '') : undefined;
  return field?.type === 'hidden' ? undefined : field;
}

/** `User/ann: username cannot …` → `Username cannot … .` */
function wordsOf({ kind, name, message }) {
  const prefix = `${kind}/${name}: `;
  const words = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.');
}

function mark(field, words) {
  field.after(make('p', words, { id: errorIdOf(field), class: 'error' }));
  field.setAttribute('aria-invalid', 'true');
  describe(field, (ids) => [errorIdOf(field), ...ids]);
}

function errorIdOf({ id }) {
  return `${id}-error`;
}

function describe(field, change) {
  const ids = change((field.getAttribute('aria-describedby') ?? '').split(' ').filter(Boolean));
  if (ids.length > 0) field.setAttribute('aria-describedby', ids.join(' '));
  else field.removeAttribute('aria-describedby');
}

/** Runs `act` with the values of a form when it is sent. Nothing is sent by the browser itself. */
export function onSubmit(id, act) {
  const form = $(id);
  const once = onceAtATime(form, form.querySelector('button[type=submit]'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void once(() => act(Object.fromEntries(new FormData(form)), form));
  });
}

/** Runs `act` when a button is pressed. What goes wrong is told near `element`. */
export function onPress(button, element, act) {
  const once = onceAtATime(element, button);
  button.addEventListener('click', () => once(act));
}

/** While something is under way it is not begun again. The button is not disabled, because it would lose the focus. */
function onceAtATime(element, button) {
  let busy = false;
  return async (act) => {
    if (busy) return;
    busy = true;
    button.setAttribute('aria-disabled', 'true');
    clearMessages();
    try {
      await act();
    } catch (error) {
      showProblem(element, error);
    } finally {
      busy = false;
      button.removeAttribute('aria-disabled');
    }
  };
}

/** An element with text or children. */
export function make(tag, content = [], attributes = {}) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...[content].flat());
  return element;
}

/** A time for people, with its zone (`21 Nov 2026, 10:00 UTC`); `never` where there is none. In the language of the page. */
export function timeOf(text) {
  const date = { day: 'numeric', month: 'short', year: 'numeric' };
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' };
  return text ? new Date(text).toLocaleString('en-GB', { ...date, ...time }) : 'never';
}
