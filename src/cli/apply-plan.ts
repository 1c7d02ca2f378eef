// Applies a plan that "weir plan --out" saved.
import { z } from 'zod';
import type { HistoryEntry } from '../control/config-status.ts';
import { historyRecord, rememberReconciled } from '../control/history.ts';
import { type AppliedPlan, applySaved } from '../control/reconcile.ts';
import { declaredKindNames } from '../core/kinds/index.ts';
import { firstFindings } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { UsageError } from '../options.ts';
import { Refused } from '../store/store.ts';
import { consentsOf } from './consents.ts';
import { codeOfPlan, type ExitCode, exitCodes } from './exit-codes.ts';
import { textOf } from './named-file.ts';
import { publish } from './publish.ts';
import type { Invocation } from './verb.ts';
import { benchOf, commandActor, factsAt, openStoreToApply } from './workbench.ts';

/** Applies the plan `saved` that was read from `file`. Throws `UsageError` where it is none, and `BaseMoved` where it is stale. */
export async function applyPlanFile(file: string, { options, io }: Invocation, saved: PlanDocument): Promise<ExitCode> {
  const started = io.elapsed();
  const facts = factsAt(options, io);
  const store = await openStoreToApply(options, io, true);
  try {
    const bench = benchOf(store, facts, io);
    await rememberReconciled(store, bench.newId());
    const context = {
      now: io.now(),
      newId: bench.newId,
      actor: commandActor,
      origin: 'config',
      revision: saved.source.digest,
    } as const;
    const record = (applied: AppliedPlan) =>
      historyRecord(bench.newId(), entryOf(applied, io.now(), io.elapsed() - started));
    const { alreadyApplied, plan } = await applySaved(store, saved, {
      context,
      facts,
      consents: consentsOf(options),
      record,
    });
    const result = alreadyApplied ? 'already' : 'applied';
    publish(
      {
        type: 'plan',
        plan,
        result,
        texts: new Map(),
        root: undefined,
        seconds: io.elapsed() / 1000,
      },
      options.output,
      io,
    );
    return exitCodes.fine;
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof RangeError)
      throw new UsageError(
        `${file} cannot be applied, because it was changed by hand, and wrongly: make a new one with "weir plan --out FILE"`,
      );
    if (!(error instanceof Refused)) throw error;
    publish({ type: 'refusal', findings: error.violations }, options.output, io);
    return codeOfPlan({ tree: [], blocked: true, pending: false });
  } finally {
    await store.close();
  }
}

/** Reads a saved plan. Throws `UsageError` where it is none. */
export function readPlan(file: string): PlanDocument {
  const parsed = planFile.safeParse(jsonIn(file));
  if (parsed.success) return parsed.data as unknown as PlanDocument;
  const at = parsed.error.issues[0]?.path.join('.');
  throw new UsageError(
    `${file} is not a plan that this version of Weir saved (see its ${at || 'beginning'}): make one with "weir plan --out FILE"`,
  );
}

function jsonIn(file: string): unknown {
  const text = textOf(file, 'plan_unreadable');
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(
      `${file} is not a plan, because it is not JSON: name a folder, or what "weir plan --out FILE" saved`,
    );
  }
}

const place = z.looseObject({ file: z.string(), line: z.int() });
const field = z.looseObject({ path: z.string(), before: z.unknown(), after: z.unknown(), source: place.optional() });
const change = z.looseObject({
  address: z.string(),
  kind: z.enum(declaredKindNames),
  name: z.string(),
  action: z.enum(['create', 'update', 'delete', 'rename', 'adopt', 'blocked']),
  source: place.optional(),
  previousNames: z.array(z.string()).optional(),
  previousSource: place.optional(),
  precondition: z.union([
    z.strictObject({ absent: z.literal(true) }),
    z.strictObject({ id: z.string(), generation: z.int() }),
  ]),
  fields: z.array(field),
});
const adopted = change.omit({ action: true, fields: true });
const count = z.int().min(0);
const summary = {
  create: count,
  update: count,
  delete: count,
  rename: count,
  adopt: count,
  unchanged: count,
  blocked: count,
};

/** What of a saved plan is relied on. */
const planFile = z.looseObject({
  formatVersion: z.literal(1),
  base: z.looseObject({ revision: z.string().nullable(), digest: z.string() }),
  source: z.looseObject({ digest: z.string(), files: count }),
  summary: z.strictObject(summary),
  changes: z.array(change),
  adopted: z.array(adopted).optional(),
  // A version of Weir before this one saved none.
  consequences: z
    .array(z.looseObject({ address: z.string(), action: z.enum(['create', 'update', 'delete']), reason: z.string() }))
    .default([]),
  findings: z.array(z.looseObject({ severity: z.string(), message: z.string() })),
});

function entryOf({ alreadyApplied, plan }: AppliedPlan, at: string, durationMs: number): HistoryEntry {
  const { digest: revision, commit, dirty } = plan.source;
  const git = { ...(commit === undefined ? {} : { commit }), ...(dirty === undefined ? {} : { dirty }) };
  const outcome = {
    trigger: 'command',
    result: alreadyApplied ? 'unchanged' : 'applied',
    at,
    durationMs: Math.round(durationMs),
  } as const;
  const warnings = plan.findings.filter(({ severity }) => severity === 'warning');
  return {
    revision,
    ...git,
    ...outcome,
    summary: plan.summary,
    errors: 0,
    warnings: warnings.length,
    findings: firstFindings(warnings).findings,
    actor: 'command',
  };
}
