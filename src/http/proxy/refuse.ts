// What Weir itself answers at the door of an instance: a page for people, a problem for programs.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { hangUp } from '../../lib/hang-up.ts';
import { accepts } from '../accept.ts';
import { type Problem, problemBody } from '../errors.ts';
import { makePage } from '../pages/page.ts';
import { fixedHeaders } from '../plugins/security-headers.ts';
import { rawAnswer } from '../raw-answer.ts';

/** Answers by itself. */
export interface Refusing {
  /** With a problem: as a page where a page was asked for. */
  refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void;
  /** With another address. */
  redirect(
    request: IncomingMessage,
    response: ServerResponse,
    location: string,
    headers?: Readonly<Record<string, string>>,
  ): void;
  /** With a problem, where a connection was to be upgraded. */
  hangUp(socket: Duplex, problem: Problem): void;
}

/** Whether somebody looks at a browser. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && accepts(headers.accept, 'text/html');
}

export function createRefusing(baseUrl: string): Refusing {
  const fixed = fixedHeaders(baseUrl);
  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    {
      status,
      body,
      headers,
    }: { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, string>> },
  ) => {
    // What is left of a body that nobody wants is not waited for.
    const close = request.complete || !('content-length' in request.headers || 'transfer-encoding' in request.headers);
    const length = { 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, { ...fixed, ...headers, ...length, ...(close ? {} : { connection: 'close' }) });
    if (close || request.method === 'HEAD') return void response.end(request.method === 'HEAD' ? undefined : body);
    response.write(body);
    endOnceRead(request, response);
  };
  return {
    refuse: (request, response, problem) => send(request, response, answerOf(request, problem, baseUrl)),
    redirect: (request, response, location, headers = {}) =>
      send(request, response, { status: 302, body: '', headers: { location: sendable(location), ...headers } }),
    hangUp: (socket, problem) => {
      const { status } = bodyOf(problem);
      const body = JSON.stringify(problemBody(problem));
      hangUp(socket, rawAnswer(status, { ...fixed, ...problem.extras.headers }, body));
    },
  };
}

/** An address as a header can hold it: what came as bytes goes as escaped bytes. */
function sendable(location: string): string {
  return location.replace(/[^!-~]/gu, (character) =>
    character <= '\u00ff'
      ? `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(character.toWellFormed()),
  );
}

/** What is left of a body is thrown away for a moment: bytes that nobody read make a reset of the end, and the answer is lost with it. */
function endOnceRead(request: IncomingMessage, response: ServerResponse): void {
  const end = () => {
    clearTimeout(late);
    response.end();
  };
  const late = setTimeout(end, 1000);
  request.once('end', end).once('close', end).resume();
}

function answerOf(request: IncomingMessage, problem: Problem, baseUrl: string) {
  const { status, title, detail } = bodyOf(problem);
  if (!wantsPage(request)) {
    const headers = { ...problem.extras.headers, 'content-type': 'application/problem+json; charset=utf-8' };
    return { status, body: JSON.stringify(problemBody(problem)), headers };
  }
  const { html, policy } = makePage({
    title: escaped(title),
    main: `<p>${escaped(detail)}</p>\n<p><a href="${escaped(baseUrl)}/">Home</a></p>`,
  });
  const headers = {
    ...problem.extras.headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
  };
  return { status, body: html, headers };
}

function bodyOf(problem: Problem): { readonly status: number; readonly title: string; readonly detail: string } {
  const { status, title, detail } = problemBody(problem);
  return { status: Number(status), title: String(title), detail: String(detail) };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
