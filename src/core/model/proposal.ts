// A proposal: what someone wants, as a pure function of the state, so that it can be tried, shown, and tried again.
import type { Change } from './change.ts';
import type { Finding } from './finding.ts';
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
  /** By which door: the reconciler's (`config`), the run of a pipeline, which alone brings flows into what is protected, or the API's. */
  readonly origin: 'config' | 'run' | 'api';
  readonly requestId?: string;
  /** The network address that a request came from. */
  readonly address?: string;
  /** The revision of the tree that is applied. */
  readonly revision?: string;
}

/** Something that happened although nothing changed, as the audit log has it. */
export interface AuditEvent {
  readonly event: string;
  readonly target: { readonly kind: string; readonly id?: string | undefined; readonly name?: string | undefined };
  readonly changes?: { readonly path: string; readonly before: unknown; readonly after: unknown }[];
  /** The id of the team that it concerns. */
  readonly team?: string;
  readonly reason?: string;
  /** How many like it the event stands for; absent: it alone. */
  readonly count?: number;
}

/** What a proposal comes to: the changes that it wants, what it found out for whoever proposed it, and what happened besides. */
export interface Proposed<R> {
  readonly changes: readonly Change[];
  readonly result: R;
  /** Why it cannot be what was meant, whatever the rules say. */
  readonly findings?: readonly Finding[];
  readonly events?: readonly AuditEvent[];
}

/** From a state to the changes that are wanted. Synchronous, without effects; may be called more than once. */
export type Proposal = (view: View, context: Context) => readonly Change[];

/** A proposal that finds something out: since it may be called more than once, that travels in its result. */
export type ProposalWith<R> = (view: View, context: Context) => Proposed<R>;

/** Either. */
export type AnyProposal<R = undefined> = Proposal | ProposalWith<R>;

/** The answer of a proposal in its long form. */
export function proposedBy<R>(proposal: AnyProposal<R>, view: View, context: Context): Proposed<R> {
  const answer = proposal(view, context);
  return 'changes' in answer ? answer : { changes: answer, result: undefined as R };
}

/** A proposal, and what happened besides, by what it changes. */
export function withEvents(
  proposal: Proposal,
  events: (changes: readonly Change[]) => readonly AuditEvent[],
): ProposalWith<undefined> {
  return (view, context) => {
    const changes = proposal(view, context);
    return { changes, result: undefined, events: events(changes) };
  };
}

/** That something happened, and changes nothing. */
export function happened(...events: readonly AuditEvent[]): ProposalWith<undefined> {
  return () => ({ changes: [], result: undefined, events });
}
