// The registry of rules, and check(): all of them over one batch, all violations at once.
import type { Finding } from '../model/finding.ts';
import { configManaged } from './config-managed.ts';
import { defaultStack } from './default-stack.ts';
import { duplicateObject } from './duplicate-object.ts';
import { emptiedFile } from './emptied-file.ts';
import { environmentSize } from './environment-size.ts';
import { featureRequired } from './feature-required.ts';
import { immutable } from './immutable.ts';
import { inUse } from './in-use.ts';
import { inactive } from './inactive.ts';
import { instanceTypeNotEnabled } from './instance-type-not-enabled.ts';
import { lastAdmin } from './last-admin.ts';
import { lastOwner } from './last-owner.ts';
import { limitReached } from './limit-reached.ts';
import { massDelete } from './mass-delete.ts';
import { needsAdopt } from './needs-adopt.ts';
import { overlayWithoutBase } from './overlay-without-base.ts';
import { priceNeedsBilling } from './price-needs-billing.ts';
import { protection } from './protected.ts';
import { protectedInstance } from './protected-instance.ts';
import { references } from './references.ts';
import { reservedVariables } from './reserved-variable.ts';
import type { Batch, Rule } from './rule.ts';
import { settingsNeedEmail } from './settings-need-email.ts';
import { slugUnique } from './slug-unique.ts';
import { ssoComplete } from './sso-complete.ts';
import { ssoDomainUnique } from './sso-domain-unique.ts';
import { ssoLicence } from './sso-licence.ts';
import { stackChain } from './stack-chain.ts';
import { stackInUse } from './stack-in-use.ts';
import { stackRuntime } from './stack-runtime.ts';
import { templateLocked } from './template-locked.ts';
import { emailUnique, usernameUnique } from './user-unique.ts';
import { vanished } from './vanished.ts';

/** Every rule that looks at changes. (`syntax` and `schema` are found while documents are read.) */
export const rules: readonly Rule[] = [
  duplicateObject,
  references,
  immutable,
  stackInUse,
  stackRuntime,
  inUse,
  inactive,
  defaultStack,
  stackChain,
  ssoDomainUnique,
  ssoComplete,
  ssoLicence,
  settingsNeedEmail,
  priceNeedsBilling,
  instanceTypeNotEnabled,
  limitReached,
  templateLocked,
  reservedVariables,
  environmentSize,
  featureRequired,
  lastAdmin,
  lastOwner,
  slugUnique,
  usernameUnique,
  emailUnique,
  protection,
  protectedInstance,
  configManaged,
  needsAdopt,
  massDelete,
  emptiedFile,
  vanished,
  overlayWithoutBase,
];

/** All violations of a batch. */
export function check(batch: Batch): Finding[] {
  const found: Finding[] = [];
  for (const rule of rules) for (const finding of rule.check(batch)) found.push(finding);
  return found;
}

/** The same in steps, so that a long check can be sliced: one rule at a time, and some of the changes at a time where a rule allows it. */
export function* checkSteps(batch: Batch): Generator<readonly Finding[], void, void> {
  const pieces = piecesOf(batch);
  for (const rule of rules)
    if (rule.perChange) for (const piece of pieces) yield [...rule.check(piece)];
    else if (rule.steps) yield* inParts(rule.steps(batch));
    else yield [...rule.check(batch)];
}

function* inParts(steps: Iterable<Finding | undefined>): Generator<readonly Finding[], void, void> {
  let found: Finding[] = [];
  for (const finding of steps) {
    if (finding) found.push(finding);
    else {
      yield found;
      found = [];
    }
  }
  yield found;
}

function piecesOf(batch: Batch): readonly Batch[] {
  const { changes } = batch;
  const count = Math.ceil(changes.length / pieceSize);
  return Array.from({ length: count }, (_, at) => ({
    ...batch,
    changes: changes.slice(at * pieceSize, (at + 1) * pieceSize),
  }));
}

const pieceSize = 256;
