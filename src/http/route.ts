// What a route is: one piece of data from which it is served, checked, guarded and described.
import type { z } from 'zod';
import type { Caller } from '../core/access/actor.ts';
import { type Action, policy, type Subject } from '../core/access/policy.ts';
import { mostEnvironmentBytes } from '../core/instances/environment-size.ts';
import type { KindName } from '../core/kinds/index.ts';
import type { View } from '../core/model/view.ts';
import type { Page } from './pages/page.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is served here. A route without it is not described. */
    readonly route?: Route;
  }
}

/** A request that fits its route, by a caller who may make it. */
export interface Call<P = unknown, Q = unknown, B = unknown> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  readonly requestId: string;
  readonly route: Route;
  /** The network address that it came from; behind a proxy the one that the proxy tells, where that is believed. */
  readonly address: string;
  /** What the browser or program calls itself. */
  readonly agent: string;
  /** The header Idempotency-Key: the same request with the same key is done once. */
  readonly idempotencyKey?: string;
  /** The header If-Match, as it was sent. */
  readonly ifMatch?: string;
  /** The header If-None-Match, as it was sent. */
  readonly ifNoneMatch?: string;
  /** Has this called once whoever asks has left, or was answered. */
  readonly onEnd: (listener: () => void) => void;
  /** The header Accept, as it was sent. */
  readonly accept?: string;
  /** The cookies that came along, by name. */
  readonly cookies: () => Readonly<Record<string, string | undefined>>;
  readonly services: Services;
}

/** A cookie to set, hidden from scripts. `expiresAt` is RFC 3339; without a `value` it is taken away. */
export interface ReplyCookie {
  readonly name: string;
  readonly value?: string;
  readonly path: string;
  readonly sameSite: 'lax' | 'none';
  readonly expiresAt?: string;
}

/** What a handler answers. `version` becomes part of the ETag, and is what If-Match is compared with. */
export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  /** The media type of the body, where it is not JSON. */
  readonly type?: string;
  readonly version?: string;
  /** The digest of a body of bytes, where somebody made it already (`digestOf` in `etag.ts`). */
  readonly digest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sets the session cookie, or (null) takes it away. */
  readonly session?: { readonly value: string; readonly expiresAt: string } | null;
  /** Other cookies. */
  readonly cookies?: readonly ReplyCookie[];
}

/** One answer that a route gives. */
export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** What it may be besides JSON, by media type. */
  readonly also?: Readonly<Record<string, z.ZodType>>;
  /** The headers that it has, and what they tell. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Made when it is asked for: most processes never describe their routes. */
  readonly example?: () => unknown;
}

/** The headers of an answer that shows what a write left, as a GET of it does. The plan of a dry run has none. */
export const writtenHeaders = { ETag: 'The version of what was written, as a GET answers it: for If-Match.' } as const;

/** The headers of an answer that shows what a write made. */
export const madeHeaders = { Location: 'Where it is.', ...writtenHeaders } as const;

/** The headers of an answer that comes before the work is done. */
export const begunHeaders = { Location: 'Where to see how it stands.', ...writtenHeaders } as const;

/** A group of routes in the description. */
export type Tag =
  | 'description'
  | 'configuration'
  | 'declared kinds'
  | 'settings'
  | 'health'
  | 'account'
  | 'self'
  | 'teams'
  | 'instances'
  | 'devices'
  | 'agents'
  | 'snapshots'
  | 'users'
  | 'administration'
  | 'statistics';

export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for what varies. */
  readonly url: string;
  /** What it does, in the words of the policy: who may call it stands there. */
  readonly action: Action;
  /** What it is done to, where the policy asks for roles: `teamSubject` and its like. Nothing for what is not there. */
  readonly subject?: (params: Readonly<Record<string, string>>, view: View) => Subject;
  /** A PUT that changes only the fields given: there is a PATCH of the same (`merge-patch.ts`). */
  readonly changesGiven?: true;
  /** What it changes has no version: it knows no If-Match. */
  readonly ignoresIfMatch?: true;
  /** What a POST makes: it takes an Idempotency-Key then. */
  readonly creates?: KindName;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  readonly params?: P;
  /** Absent: it takes no query. */
  readonly query?: Q;
  /** Absent: it takes no body. */
  readonly body?: B;
  readonly bodyExample?: () => unknown;
  /** The body is a form that a page posts, `application/x-www-form-urlencoded`, and nothing else: it comes as `URLSearchParams`. */
  readonly takesForm?: true;
  /** Pages of any origin may make this request: what comes with it is guarded by what it holds. */
  readonly anyOrigin?: true;
  /** What is shown for a problem (by the id of the request), where people and no programs read the answers. */
  readonly problemPage?: (requestId: string) => Page;
  /** The body comes as it was sent, in bytes: it may take long to be read, which is for a thread then. */
  readonly takesBytes?: true;
  /** The body may be left out. */
  readonly bodyOptional?: true;
  /** It changes nothing, though it is no GET. */
  readonly readsOnly?: true;
  /** It takes turns with others of its kind: a place is taken before its body is read. */
  readonly takesTurns?: true;
  /** The largest body, in bytes, where it is not that of `bodyLimitOf`. */
  readonly bodyLimit?: number;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Answers are written as they are, because programs keep them and nothing may be lost on the way. */
  readonly verbatim?: true;
  /** Not part of the description: it is no part of the API. */
  readonly undocumented?: true;
  handle(call: Call<z.output<P>, z.output<Q>, z.output<B>>): Promise<Reply> | Reply;
}

/** Defines a route; the types of its parts are known to its handler. */
export function defineRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  route: Route<P, Q, B>,
): Route {
  return route;
}

/** The largest body that a route takes, in bytes: little where nobody has to say who they are, because reading it holds everybody else up. */
export function bodyLimitOf({ action, bodyLimit }: Pick<Route, 'action' | 'bodyLimit'>): number {
  return bodyLimit ?? (policy[action].who === 'anyone' ? 64 * 1024 : 1024 * 1024);
}

/**
 * The largest body of a route that takes variables, in bytes: all that the rule `environment-size` allows, however it is escaped, and enough above that
 * for the rule to say itself what is too much.
 */
export const variablesBodyLimit = 6 * mostEnvironmentBytes + 1024 * 1024;

/** Where Fastify serves a route, with what guards it and what it is described by. */
export function placeOf(route: Route) {
  return { method: route.method, url: route.url, config: { action: route.action, route } } as const;
}
