// npm run fuzz -- TARGET [--minutes N] [--seed S] [--keep]: gives a parser changed inputs for so long, and keeps what breaks it as small as it gets.
import { parseArgs } from 'node:util';
import { firstInputs, keep, keptInputs } from './corpus.ts';
import { judge, minimise } from './judge.ts';
import { mutate, randomFrom } from './mutate.ts';
import type { Target } from './target.ts';
import { targets } from './targets/index.ts';

/** What is kept beside failures: a few small ones say as much as many. */
const mostKept = { files: 40, bytes: 2048 };

process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { minutes: { type: 'string' }, seed: { type: 'string' }, keep: { type: 'boolean' } },
  });
  const [minutes, seed] = [Number(values.minutes ?? 1), Number(values.seed ?? Date.now() % 1e9)];
  const unknown = positionals.filter((name) => !(name in targets));
  const wrong = unknown.length > 0 ? `there is no target "${unknown.join('", "')}"` : 'name a target';
  if (unknown.length + Number(positionals.length === 0) > 0 || !(minutes > 0) || !Number.isSafeInteger(seed)) {
    process.stderr.write(`${wrong}: there are ${Object.keys(targets).join(', ')}\n`);
    return 64;
  }
  let failures = 0;
  for (const name of positionals) {
    const target = targets[name as keyof typeof targets];
    failures += await fuzz(name, target, {
      until: performance.now() + minutes * 60_000,
      seed,
      keeps: values.keep ?? false,
    });
  }
  return failures > 0 ? 1 : 0;
}

interface Round {
  readonly until: number;
  readonly seed: number;
  /** Whether inputs that went a new way are kept as well. */
  readonly keeps: boolean;
}

/** Answers in how many ways it failed. */
async function fuzz(name: string, target: Target, { until, seed, keeps }: Round): Promise<number> {
  const random = randomFrom(seed);
  const pool = firstInputs(name, target);
  const [ways, failures] = [new Set<string>(), new Set<string>()];
  let count = 0;
  const take = async (input: Buffer, isNew: boolean) => {
    const verdict = await judge(target, input);
    count += 1;
    if ('failure' in verdict) {
      if (failures.has(verdict.failure)) return;
      failures.add(verdict.failure);
      await tell(name, target, input, verdict);
    } else if (!ways.has(verdict.way)) {
      ways.add(verdict.way);
      if (!isNew) return;
      pool.push(input);
      if (keeps && input.length <= mostKept.bytes && keptInputs(name).length < mostKept.files) keep(name, input);
    }
  };
  for (const input of [...pool]) await take(input, false);
  let told = performance.now();
  while (performance.now() < until) {
    const chosen = pool[random(pool.length)] ?? Buffer.alloc(0);
    await take(mutate(chosen, random, target.words, pool), true);
    if (performance.now() - told < 10_000) continue;
    told = performance.now();
    process.stderr.write(`${name}: ${count} inputs, ${ways.size} ways, ${failures.size} failures\n`);
  }
  process.stdout.write(`${name}: ${count} inputs, ${ways.size} ways, ${failures.size} failures (seed ${seed})\n`);
  return failures.size;
}

async function tell(
  name: string,
  target: Target,
  input: Buffer,
  { failure, error }: { readonly failure: string; readonly error: unknown },
): Promise<void> {
  const small = await minimise(target, input, failure);
  const path = keep(name, small, 'failure-');
  const stack = error instanceof Error ? error.stack : String(error);
  process.stdout.write(
    `${name} fails: ${failure}\n${path} (${small.length} bytes)\n${JSON.stringify(small.toString().slice(0, 300))}\n${stack}\n\n`,
  );
}
