// A proposal: what someone wants, as a pure function of the state, so that it can be tried, shown, and tried again.
import type { Change } from './change.ts';
import type { View } from './view.ts';

/** Who acts. `id` is that of the user, token or provider. */
export interface Actor {
  readonly kind: 'user' | 'token' | 'config' | 'job' | 'sso';
  readonly id?: string;
  readonly name?: string;
}

/** Everything that a proposal may know beyond the state; the core never asks the world itself. */
export interface Context {
  /** RFC 3339, UTC. */
  readonly now: string;
  /** A fresh opaque id at each call. */
  readonly newId: () => string;
  readonly actor: Actor;
  /** By which door: the reconciler's (`config`) or the API's. */
  readonly origin: 'config' | 'api';
  readonly requestId?: string;
  /** The network address that a request came from. */
  readonly address?: string;
  /** The revision of the tree that is applied. */
  readonly revision?: string;
}

/** From a state to the changes that are wanted. Synchronous, without effects; may be called more than once. */
export type Proposal = (view: View, context: Context) => readonly Change[];
