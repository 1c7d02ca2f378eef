// Gives an input to a target, and finds the smallest one that goes wrong in the same way.
import { gist, type Target } from './target.ts';

/** What became of an input: `way` is the same for inputs that went the same way. */
export type Verdict = { readonly way: string } | { readonly failure: string; readonly error: unknown };

/** Never rejects. */
export async function judge(target: Target, input: Buffer): Promise<Verdict> {
  const before = process.cpuUsage();
  try {
    const way = await target.check(input);
    const ms = cpuSince(before);
    return ms <= target.mostMs ? { way } : slow(target, input, ms);
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'thrown', message: String(error) };
    return { failure: `${name}: ${gist(message)}`, error };
  }
}

/** What is slow once may have been the garbage of others: it counts if it is so three times. */
async function slow(target: Target, input: Buffer, first: number): Promise<Verdict> {
  let least = first;
  for (let tries = 0; tries < 2; tries += 1) {
    const before = process.cpuUsage();
    await target.check(input);
    least = Math.min(least, cpuSince(before));
  }
  if (least <= target.mostMs) return { way: 'slow once' };
  const error = new Error(`${input.length} bytes cost ${Math.round(least)} ms of CPU, more than ${target.mostMs}`);
  return { failure: 'slow', error };
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A smaller input that fails in the same way; pieces are left out as long as it does, for at most so many tries. */
export async function minimise(target: Target, input: Buffer, failure: string, most = 2000): Promise<Buffer> {
  let [best, tries] = [input, 0];
  for (let piece = Math.ceil(best.length / 2); piece >= 1 && tries < most; piece = piece > 1 ? Math.ceil(piece / 2) : 0)
    for (let at = 0; at < best.length && tries < most; tries += 1) {
      const smaller = Buffer.concat([best.subarray(0, at), best.subarray(at + piece)]);
      const verdict = await judge(target, smaller);
      if ('failure' in verdict && verdict.failure === failure) best = smaller;
      else at += piece;
    }
  return best;
}
