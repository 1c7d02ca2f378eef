// The agents that check in by the token of one device: two of them at a time are told from one that was started anew.

/** What an agent says of itself: a number of its own that it draws when it starts, and how often it has checked in since. */
export interface Agent {
  readonly run: string;
  readonly count: number;
}

/** Where and when an agent was last heard. */
interface Heard extends Agent {
  readonly address: string;
  /** RFC 3339. */
  readonly at: string;
}

export interface Agents {
  /**
   * Hears an agent that shows the token with this hash. Answers why there must be two of them, where that is so.
   * @param now RFC 3339
   */
  hear(hash: string, agent: Agent, address: string, now: string): string | undefined;
}

/** The agents that used one token, the last one last; and when (in milliseconds) one spoke that cannot be the only one. */
interface Token {
  readonly heard: readonly Heard[];
  readonly doubts: readonly number[];
}

/** Of one token: whoever came before the last four is forgotten. */
const mostAgents = 4;
/** An agent that was started anew draws another number, and none comes back to an old one. A request that was held up on its way is one or two such: */
const doubtsForCertain = 3;
/** within a quarter of an hour, in which two agents check in dozens of times. */
const doubtMs = 900_000;
/** How long nothing is heard by a token until it is forgotten, in milliseconds, and how many are kept before that is looked at. */
const forgottenAfterMs = 3_600_000;
const keptAnyway = 1000;

/** Remembers agents as long as this process lives: after a start it takes them minutes to be told apart again. */
export function createAgents(): Agents {
  const tokens = new Map<string, Token>();
  let sweepAt = keptAnyway;
  return {
    hear: (hash, agent, address, now) => {
      const known = tokens.get(hash) ?? { heard: [], doubts: [] };
      const { next, other } = heardBy(known, { ...agent, address, at: now });
      tokens.set(hash, next);
      if (tokens.size > sweepAt) {
        sweep(tokens, Date.parse(now));
        sweepAt = Math.max(keptAnyway, 2 * tokens.size);
      }
      return other && next.doubts.length >= doubtsForCertain
        ? inWords({ ...agent, address, at: now }, other)
        : undefined;
    },
  };
}

/** `other`: whom it cannot be, and who was heard since it was heard last. */
function heardBy({ heard, doubts }: Token, agent: Heard): { readonly next: Token; readonly other?: Heard } {
  const [last, same] = [heard.at(-1), heard.find(({ run }) => run === agent.run)];
  // It came back after another one; or it counts what was counted already: a copy of a machine while that runs.
  const cannotBe = same && (same !== last || agent.count <= same.count);
  const now = Date.parse(agent.at);
  const fresh = doubts.filter((at) => Math.abs(now - at) < doubtMs);
  const count = Math.max(agent.count, same?.count ?? 0);
  const others = heard.filter(({ run }) => run !== agent.run);
  const next = {
    heard: [...others, { ...agent, count }].slice(-mostAgents),
    doubts: cannotBe ? [...fresh, now].slice(-doubtsForCertain) : fresh,
  };
  return { next, ...(cannotBe && last ? { other: last } : {}) };
}

function inWords(one: Heard, other: Heard): string {
  const said = ({ address, at }: Heard) => `from ${address} at ${at}`;
  return `two agents use its token at the same time: one was heard ${said(other)}, another one ${said(one)}`;
}

function sweep(tokens: Map<string, Token>, now: number): void {
  for (const [hash, { heard }] of tokens)
    if (now - Date.parse(heard.at(-1)?.at ?? '') > forgottenAfterMs) tokens.delete(hash);
}
