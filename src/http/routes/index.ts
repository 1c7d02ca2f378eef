// The registry of routes: one line an area.
import { withPatch } from '../merge-patch.ts';
import type { Route } from '../route.ts';
import { accountRoutes } from './account.ts';
import { auditRoutes } from './audit.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { configRoutes } from './config.ts';
import { configSuspensionRoutes } from './config-suspension.ts';
import { declaredRoutes } from './declared.ts';
import { descriptionRoutes } from './description.ts';
import { deviceChannelRoutes } from './device-channel.ts';
import { deviceGroupRoutes } from './device-groups.ts';
import { deviceList } from './device-list.ts';
import { deviceSnapshotRoutes } from './device-snapshots.ts';
import { deviceRoutes } from './devices.ts';
import { healthRoutes } from './health.ts';
import { httpTokenRoutes } from './http-tokens.ts';
import { instanceActionRoutes } from './instance-actions.ts';
import { instanceFileRoutes } from './instance-files.ts';
import { instanceList } from './instance-list.ts';
import { instanceLogRoutes } from './instance-logs.ts';
import { instanceResources } from './instance-resources.ts';
import { instanceTimeline } from './instance-timeline.ts';
import { instanceRoutes } from './instances.ts';
import { invitationRoutes } from './invitations.ts';
import { memberRoutes } from './members.ts';
import { ownInvitationRoutes } from './own-invitations.ts';
import { ownSessionRoutes } from './own-sessions.ts';
import { ownTokenRoutes } from './own-tokens.ts';
import { pageRoutes } from './pages.ts';
import { provisioningTokenRoutes } from './provisioning-tokens.ts';
import { recoveryRoutes } from './recovery.ts';
import { registrationRoutes } from './registration.ts';
import { samlRoutes } from './saml.ts';
import { securityTxtRoute } from './security-txt.ts';
import { selfRoutes } from './self.ts';
import { singletonRoutes } from './singletons.ts';
import { snapshotUseRoutes } from './snapshot-use.ts';
import { snapshotRoutes } from './snapshots.ts';
import { ssoExplain } from './sso-explain.ts';
import { statisticsRoutes } from './statistics.ts';
import { teamListRoutes } from './team-lists.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';
import { userRoutes } from './users.ts';
import { versionRoute } from './version.ts';

const areas: readonly Route[] = [
  ...healthRoutes,
  ...descriptionRoutes,
  versionRoute,
  securityTxtRoute,
  ...configRoutes,
  ...configSuspensionRoutes,
  ...declaredRoutes,
  ...singletonRoutes,
  ssoExplain,
  instanceList,
  billOfMaterials,
  ...instanceRoutes,
  ...instanceActionRoutes,
  ...instanceLogRoutes,
  instanceResources,
  ...instanceFileRoutes,
  deviceList,
  ...deviceRoutes,
  ...deviceGroupRoutes,
  ...provisioningTokenRoutes,
  ...httpTokenRoutes,
  ...deviceChannelRoutes,
  ...deviceSnapshotRoutes,
  ...snapshotRoutes,
  ...snapshotUseRoutes,
  instanceTimeline,
  ...statisticsRoutes,
  ...auditRoutes,
  ...accountRoutes,
  ...registrationRoutes,
  ...recoveryRoutes,
  ...pageRoutes,
  ...samlRoutes,
  ...selfRoutes,
  ...ownTokenRoutes,
  ...ownSessionRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...teamRoutes,
  ...teamListRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...ownInvitationRoutes,
];

/** Every route that the server has. */
export const routes: readonly Route[] = areas.flatMap(withPatch);
