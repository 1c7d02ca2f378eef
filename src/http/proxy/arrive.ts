// Decides about whoever comes to an instance, before anything of a body is looked at: go on to the runtime, sign in first, or what is in the way.
import type { IncomingMessage } from 'node:http';
import { anonymous, type Caller } from '../../core/access/actor.ts';
import { instanceOrigin } from '../../core/instances/address.ts';
import { whyDown } from '../../core/instances/standing.ts';
import { singleton } from '../../core/model/view.ts';
import { Problem } from '../errors.ts';
import type { LastUse } from '../last-use.ts';
import type { InstanceDoor, ServerOptions } from '../services.ts';
import { type Entry, entryFor } from './entry.ts';
import type { Standing } from './standing.ts';
import { isWebSocket, pathProblem, requestProblem, type Target } from './target.ts';
import { type Visitor, visitorOf } from './visitor.ts';

/** Somebody who may go on. */
export interface Passage {
  readonly id: string;
  readonly by: Target['by'];
  readonly caller: Caller;
  readonly isOurToken: boolean;
  /** Whether it was let in by a token for its HTTP endpoints. */
  readonly mayCall: boolean;
  readonly entry: Entry;
  readonly standing: Standing;
  readonly door: InstanceDoor;
  /** Path and query, as the runtime knows them. */
  readonly path: string;
  /** What stands before that outside, and is not known to the runtime: it was started for a host name, and is reached below a path. Mostly empty. */
  readonly mount: string;
}

/** What becomes of a request. */
export type Arrival =
  | { readonly outcome: 'pass'; readonly passage: Passage }
  | { readonly outcome: 'sign-in'; readonly id: string; readonly visitor: Visitor }
  | { readonly outcome: 'redirect'; readonly location: string }
  | { readonly outcome: 'refuse'; readonly problem: Problem };

/** What deciding takes. */
export interface Gate {
  readonly options: Pick<ServerOptions, 'door' | 'clock' | 'baseUrl' | 'instanceDoor'>;
  /** The origin of the base URL. */
  readonly origin: string;
  /** The path of an instance at that origin. */
  readonly pathOf: (id: string) => string;
  readonly idOf: (name: string) => string | undefined;
  readonly standingOf: (view: ReturnType<ServerOptions['door']['store']['read']>, id: string) => Standing | undefined;
}

/** Decides about a request. */
export function arrive(
  gate: Gate,
  request: IncomingMessage,
  target: Target,
  lastUse: Pick<LastUse, 'touch' | 'of'>,
): Arrival {
  const { options } = gate;
  const unreadable = requestProblem(request, target);
  if (unreadable !== undefined) return refused(new Problem('invalid_request', { detail: unreadable }));
  const id = target.by === 'host' ? (gate.idOf(target.name) ?? '') : target.name;
  const view = options.door.store.read();
  const standing = gate.standingOf(view, id);
  const visitor = visitorOf(request, doorstepOf(gate, target, id), { options, lastUse, view });
  if (!standing) return nobodyHere(visitor, id);
  const elsewhere = rightPlace(gate, request, target, id);
  if (elsewhere !== undefined) return { outcome: 'redirect', location: elsewhere };
  const own = entryFor(visitor.caller, standing, view);
  const entry = visitor.mayCall ? { ...own, endpoints: true } : own;
  if (!entry.endpoints && !entry.editor) return entry.isShutOut ? refused(shutOut()) : nobodyHere(visitor, id);
  const door = options.instanceDoor?.(id);
  if (!door) return refused(notRunning(standing, entry));
  const { path, mount } = pathsAt(door, target, gate.pathOf(id));
  const isEditors = isCommunication(request, path, door);
  if (path.includes('/.alive/') || (isEditors && !entry.editor)) return nobodyHere(visitor, id);
  const { caller, isOurToken, mayCall } = visitor;
  return {
    outcome: 'pass',
    passage: { id, by: target.by, caller, isOurToken, mayCall, entry, standing, door, path, mount },
  };
}

function refused(problem: Problem): Arrival {
  return { outcome: 'refuse', problem };
}

/** Where somebody stands who asks for an instance. */
export function doorstepOf({ options: { baseUrl, door }, origin: usual, pathOf }: Gate, { by }: Target, id: string) {
  const platform = singleton(door.store.read(), 'Platform').spec;
  const origin = by === 'host' ? instanceOrigin({ baseUrl, platform }, id) : undefined;
  return { by, id, origin: origin ?? usual, path: `${pathOf(id)}/` };
}

/** The same to everybody who may not come in, whether there is an instance or not. */
export function nobodyHere(visitor: Visitor, id: string): Arrival {
  if (visitor.isFromElsewhere)
    return refused(
      new Problem('forbidden', {
        detail:
          'A cookie counts only for what pages of the same origin ask: send the header Origin with that of this address, or a token.',
      }),
    );
  if (visitor.caller === anonymous) return { outcome: 'sign-in', id, visitor };
  return refused(nothingHere());
}

/** There is nothing for them. */
export function nothingHere(): Problem {
  return new Problem('not_found', { detail: 'There is nothing at this address that you may see.' });
}

/** Why somebody who would have an editor has none. */
export function shutOut(): Problem {
  return new Problem('forbidden', {
    detail: 'This instance is protected: its editor is closed to everybody, until an owner of the team lifts that.',
  });
}

/** What is missing of an address, or the host name where the instance has one and a browser goes to its path: there its pages are apart from all others. */
function rightPlace({ options, pathOf }: Gate, { headers, method }: IncomingMessage, { by, rest }: Target, id: string) {
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD');
  const platform = singleton(options.door.store.read(), 'Platform').spec;
  const origin = isNavigation ? instanceOrigin({ baseUrl: options.baseUrl, platform }, id) : undefined;
  const own = pathOf(id);
  if (by === 'host') {
    const isOld = isBelow(rest, own) && !options.instanceDoor?.(id)?.path;
    return origin !== undefined && isOld ? `${origin}${slashed(rest.slice(own.length))}` : undefined;
  }
  if (origin !== undefined) return `${origin}${slashed(rest)}`;
  return slashed(rest) === rest ? undefined : `${own}${slashed(rest)}`;
}

function slashed(rest: string): string {
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * A runtime that knows itself below its path is asked for that; at a host name it may be left out. One that knows itself at the root is asked for what is
 * below the instance; at a host name, addresses from before it did are good.
 */
function pathsAt({ path }: InstanceDoor, { by, rest }: Target, own: string): Pick<Passage, 'path' | 'mount'> {
  if (path !== '') return { path: by === 'host' && isBelow(rest, path) ? rest : path + rest, mount: '' };
  if (by === 'path') return { path: rest, mount: own };
  return { path: isBelow(rest, own) ? slashed(rest.slice(own.length)) : rest, mount: '' };
}

function isBelow(rest: string, path: string): boolean {
  return rest.startsWith(path) && /^[/?]?$/.test(rest.charAt(path.length));
}

/** Whether a connection is to be that of the editor with its runtime. */
function isCommunication(request: IncomingMessage, path: string, { editorPath }: InstanceDoor): boolean {
  return isWebSocket(request) && path.split('?', 1)[0] === `${editorPath}/comms`;
}

function notRunning({ instance: { name, spec } }: Standing, { insider }: Entry): Problem {
  const down = whyDown(spec);
  const why = down ? `, because ${down.message} (${down.reason})` : '';
  // It has ended a moment ago, or Weir has just begun and is finding again what runs.
  const state = spec.state === 'running' ? 'it is looked for: try again in a moment' : `it is ${spec.state}${why}`;
  const detail = insider
    ? `The instance ${name} cannot be reached now: ${state}.`
    : 'The instance cannot be reached now: try again later, or ask its team.';
  return new Problem('unavailable', { detail, headers: { 'retry-after': '5' } });
}

/** A path of the same instance to come back to; its beginning where what is given is none, or is nothing that stands in a header as it is. */
export function pathToReturnTo(given: string | null): string {
  if (given === null || given.length > 4096 || /[^!-~]/.test(given)) return '/';
  return /^\/(?![/\\])/.test(given) && pathProblem(given) === undefined ? given : '/';
}
