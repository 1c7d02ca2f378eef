// How the declared configuration as a whole looks in answers: its status, plans and history.
import { z } from 'zod';
import type { KindName } from '../../core/kinds/index.ts';
import { firstFindings, maxFindings } from '../../core/model/finding.ts';
import type { PlanDocument, PlannedChange } from '../../core/plan/plan-document.ts';
import { component } from '../json-schema.ts';
import { findingView, placeView, sourceView } from './finding.ts';

const instant = (what: string) => z.iso.datetime().describe(what);

/** A condition, as Kubernetes has them. */
export const conditionView = component(
  'Condition',
  z.strictObject({
    type: z
      .string()
      .describe(
        'What it is about: Ready, Reconciling, Stalled, SourceAvailable, Settling, Drifted, Isolation, AuditIntact, AuditDelivered, StoreWritable, SecretMissing, NotificationsDelivered.',
      ),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
    reason: z.string().describe('Why, in one word.'),
    message: z.string().describe('Why, for people.'),
    lastTransitionTime: instant('When its status changed last.'),
  }),
);

const number = (what: string) => z.int().min(0).describe(what);

const summary = component(
  'PlanSummary',
  z.strictObject({
    create: number('Objects that are made.'),
    update: number('Objects that change.'),
    delete: number('Objects that go.'),
    rename: number('Objects that get another name, whether or not they change too.'),
    adopt: number('Objects made through the API that documents take over.'),
    unchanged: number('Objects that stay as they are.'),
    blocked: number('Changes that a rule forbids.'),
  }),
);

/** The answer of `GET /api/v1/admin/config`. */
export const configStatusView = component(
  'ConfigStatus',
  z.strictObject({
    revision: z
      .strictObject({
        applied: z.string().nullable().describe('The digest of the tree that was applied last.'),
        attempted: z.string().nullable().describe('The digest of the tree that was tried last.'),
      })
      .describe('Digests of trees.'),
    commit: z.string().optional().describe('The git commit that was applied, where the tree stands in git.'),
    dirty: z.boolean().optional().describe('Whether files differed from that commit when it was applied.'),
    conditions: z.array(conditionView).describe('How it stands.'),
    findings: z.array(findingView).describe('What is wrong with the tree that was tried last: the first hundred.'),
    findingsTotal: z.int().optional().describe('How many findings there were, where not all of them are told.'),
    inventory: z
      .strictObject({
        count: z.int().describe('How many objects documents declare.'),
        digest: z.string().describe('A digest of them all.'),
      })
      .describe('What is declared now.'),
    lastAppliedAt: instant('When a tree was applied last.').nullable(),
    lastAttemptedAt: instant('When a tree was tried last.').nullable(),
    mode: z
      .enum(['auto', 'manual'])
      .describe('`manual`: a changed tree is planned, and applied when somebody asks for it.'),
    pending: z
      .strictObject({
        revision: z.string().describe('The digest of the tree.'),
        commit: z.string().optional().describe('Its git commit.'),
        dirty: z.boolean().optional().describe('Whether files differ from that commit.'),
        summary,
      })
      .optional()
      .describe('The tree that waits to be applied, in manual mode.'),
    suspended: z
      .strictObject({
        since: instant('Since when.'),
        by: z.string().describe('Who suspended it.'),
        reason: z.string().optional().describe('Why, in their words.'),
      })
      .optional()
      .describe('Present while the reconciler is suspended: the server neither reads nor applies its tree.'),
  }),
);

const field = component(
  'PlannedField',
  z.strictObject({
    path: z.string().describe('A JSON pointer into the object; items of a list by their name.'),
    before: z.unknown().describe('The value now; null where there is none.'),
    after: z.unknown().describe('The value then; null where there is none.'),
    sensitive: z.boolean().optional().describe('A secret: only its reference or a fingerprint is shown.'),
    source: sourceView.optional().describe('Where a file sets the field.'),
  }),
);

const precondition = z
  .strictObject({
    absent: z.boolean().optional().describe('There is no such object.'),
    id: z.string().optional().describe('The object has this id …'),
    generation: z.int().optional().describe('… and this generation.'),
  })
  .describe('What must still be so when the plan is applied.');

const previousNames = z.array(z.string()).optional().describe('The previous names that its document gives.');

const adopted = component(
  'AdoptedObject',
  z.strictObject({
    address: z.string().describe('Kind/name.'),
    kind: z.string().describe('The kind.'),
    name: z.string().describe('The name.'),
    source: sourceView.optional().describe('Where it is declared.'),
    previousNames,
    precondition,
  }),
);

const change = component(
  'PlannedChange',
  z.strictObject({
    address: z.string().describe('Kind/name.'),
    previousAddress: z.string().optional().describe('What it was called before.'),
    kind: z.string().describe('The kind.'),
    name: z.string().describe('The name.'),
    action: z.enum(['create', 'update', 'delete', 'rename', 'adopt', 'blocked']).describe('What happens to it.'),
    source: sourceView.optional().describe('Where it is declared.'),
    previousNames,
    previousSource: placeView.optional().describe('Where it was declared, where no document declares it any more.'),
    precondition,
    fields: z.array(field).describe('What changes, field by field.'),
    affects: z
      .strictObject({
        teams: z.int().optional().describe('How many teams depend on it.'),
        instances: z.int().optional().describe('How many instances depend on it.'),
        sessions: z.int().optional().describe('How many sessions end with it.'),
        tokens: z.int().optional().describe('How many tokens end with it.'),
        memberships: z.int().optional().describe('How many memberships change with it.'),
        invitations: z.int().optional().describe('How many invitations end with it.'),
        snapshots: z.int().optional().describe('How many snapshots are deleted with it.'),
      })
      .describe('Who is affected.'),
    blockedBy: z.array(findingView).optional().describe('The rules that forbid it.'),
    cause: z.enum(['source', 'drift']).optional().describe('Whether the documents changed or the state did.'),
  }),
);

const consequence = component(
  'PlannedConsequence',
  z.strictObject({
    address: z.string().describe('Kind/name.'),
    action: z.enum(['create', 'update', 'delete']).describe('What happens to it.'),
    reason: z.string().describe('Why.'),
  }),
);

/** A plan, exactly as it is printed, saved and applied. */
export const planView = component(
  'Plan',
  z.strictObject({
    formatVersion: z.int().describe('The version of this format: 1.'),
    base: z
      .strictObject({
        revision: z.string().nullable().describe('The tree that was applied last.'),
        digest: z.string().describe('A digest of what is declared.'),
      })
      .describe('The state that the plan was made from.'),
    source: z
      .strictObject({
        digest: z.string().describe('The digest of the tree.'),
        commit: z.string().optional().describe('Its git commit.'),
        dirty: z.boolean().optional().describe('Whether files differ from that commit.'),
        files: number('How many files it has.'),
      })
      .describe('The tree that the plan was made from.'),
    summary,
    changes: z.array(change).describe('What changes, in an order that can be understood.'),
    consequences: z
      .array(consequence)
      .describe('What goes with the changes in the same commit, such as sessions and tokens that end.'),
    findings: z
      .array(findingView)
      .describe('What forbids it, and what is worth knowing: the first hundred, errors first where there are more.'),
    findingsTotal: z.int().optional().describe('How many findings there are, where not all of them are told.'),
    adopted: z.array(adopted).optional().describe('Equal objects made through the API that their documents take over.'),
  }),
);

/** A plan as it is answered: with no more findings than anybody reads, and how many there are. */
export function planAnswer<K extends KindName>(plan: PlanDocument<K>): PlanDocument<K> {
  const isLong = ({ blockedBy }: PlannedChange<K>) => (blockedBy?.length ?? 0) > maxFindings;
  const changes = plan.changes.some(isLong) ? plan.changes.map(withFirstBlockers) : plan.changes;
  return { ...plan, changes, ...firstFindings(plan.findings) };
}

/** Of a saved plan the rule `emptied-file` is asked again when it is applied: it is never left out. */
function withFirstBlockers<K extends KindName>(change: PlannedChange<K>): PlannedChange<K> {
  if (!change.blockedBy) return change;
  const first = change.blockedBy.toSorted(
    (a, b) => Number(b.rule === 'emptied-file') - Number(a.rule === 'emptied-file'),
  );
  return { ...change, blockedBy: firstFindings(first).findings };
}

const historyFields = {
  revision: z.string().describe('The digest of the tree.'),
  commit: z.string().optional().describe('Its git commit.'),
  dirty: z.boolean().optional().describe('Whether files differed from that commit.'),
  trigger: z.enum(['start', 'watch', 'poll', 'api', 'command']).describe('What made Weir look.'),
  result: z.enum(['applied', 'refused', 'unchanged']).describe('How it ended.'),
  at: instant('When it ended.'),
  durationMs: z.number().min(0).describe('How long it took, in milliseconds.'),
  summary,
  errors: number('How many findings refused.'),
  warnings: number('How many findings warned.'),
  actor: z.string().optional().describe('Who asked for it, where somebody did.'),
  drift: z
    .array(
      z.strictObject({
        address: z.string().describe('Kind/name.'),
        action: z.enum(['create', 'update', 'delete', 'rename', 'adopt']).describe('What reverts it.'),
        fields: z.array(z.string()).describe('What was otherwise, of an update: the first fields.'),
        left: z.boolean().describe('Whether it was left as it is, and not reverted.'),
        by: z
          .strictObject({
            actor: z.string().describe('Who.'),
            at: instant('When.'),
            revision: z.string().optional().describe('The digest of their tree.'),
          })
          .optional()
          .describe('Who applied something to it last.'),
        times: z.int().optional().describe('How often it drifted within an hour, where that is a fight.'),
        mark: z.string().optional().describe('Of what is gone: a mark of its document.'),
      }),
    )
    .optional()
    .describe('What others had changed since a server applied its tree: the first hundred objects.'),
  driftTotal: z.int().optional().describe('How many objects had drifted, where not all of them are told.'),
  missing: z.string().optional().describe('Why there was no tree to read; the revision is `missing` then.'),
};

/** One attempt to apply a tree. */
export const historyView = component('HistoryEntry', z.strictObject(historyFields));

/** One attempt with its findings. */
export const historyDetailView = component(
  'HistoryDetail',
  z.strictObject({
    ...historyFields,
    findings: z.array(findingView).describe('What was wrong, or worth knowing: the first hundred, errors first.'),
  }),
);
