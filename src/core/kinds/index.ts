// The registry of nouns: one line a kind.
import type { z } from 'zod';
import { actionToken } from './action-token.ts';
import { adminSettings } from './admin-settings.ts';
import { auditDelivered } from './audit-delivered.ts';
import { device } from './device.ts';
import { deviceGroup } from './device-group.ts';
import { httpToken } from './http-token.ts';
import { idempotentRequest } from './idempotent-request.ts';
import { instance } from './instance.ts';
import { instanceType } from './instance-type.ts';
import { invitation } from './invitation.ts';
import type { Kind } from './kind.ts';
import { membership } from './membership.ts';
import { platform } from './platform.ts';
import { provisioningToken } from './provisioning-token.ts';
import { receiver } from './receiver.ts';
import { reconciled } from './reconciled.ts';
import { session } from './session.ts';
import { snapshot } from './snapshot.ts';
import { spentLogin } from './spent-login.ts';
import { ssoConfig } from './sso-config.ts';
import { stack } from './stack.ts';
import { statisticsToken } from './statistics-token.ts';
import { suspension } from './suspension.ts';
import { team } from './team.ts';
import { teamType } from './team-type.ts';
import { template } from './template.ts';
import { token } from './token.ts';
import { user } from './user.ts';

/** The kinds that documents declare, in the order in which they build on each other. */
export const declaredKinds = {
  Platform: platform,
  AdminSettings: adminSettings,
  Stack: stack,
  InstanceType: instanceType,
  TeamType: teamType,
  Template: template,
  SsoConfig: ssoConfig,
} as const;

/** The kinds that live in the store only. */
export const runtimeKinds = {
  User: user,
  Token: token,
  Session: session,
  ActionToken: actionToken,
  Team: team,
  Membership: membership,
  Invitation: invitation,
  Instance: instance,
  Device: device,
  DeviceGroup: deviceGroup,
  ProvisioningToken: provisioningToken,
  HttpToken: httpToken,
  Snapshot: snapshot,
  StatisticsToken: statisticsToken,
  IdempotentRequest: idempotentRequest,
  SpentLogin: spentLogin,
  Receiver: receiver,
  Suspension: suspension,
  Reconciled: reconciled,
  AuditDelivered: auditDelivered,
} as const;

/** All kinds. */
export const kinds = { ...declaredKinds, ...runtimeKinds } as const;

export type DeclaredKindName = keyof typeof declaredKinds;
export type KindName = keyof typeof kinds;
/** The spec of a kind, as decoded. */
export type SpecOf<K extends KindName> = z.output<(typeof kinds)[K]['spec']>;

/** The declared kinds' names, in the order in which they build on each other. */
export const declaredKindNames = Object.keys(declaredKinds) as readonly DeclaredKindName[];

/** The names of all kinds. */
export const kindNames = Object.keys(kinds) as readonly KindName[];

/** A kind by name, without its exact types, for code that treats all alike. */
export function kindOf(kind: KindName): Kind {
  return kinds[kind] as unknown as Kind;
}

/** Whether a word names a kind that documents declare. */
export function isDeclaredKind(kind: unknown): kind is DeclaredKindName {
  return typeof kind === 'string' && Object.hasOwn(declaredKinds, kind);
}
