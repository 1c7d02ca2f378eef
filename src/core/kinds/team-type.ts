// The noun TeamType: what a team has, may use, and how much of it.
import { z } from 'zod';
import { featureSwitches } from './feature-catalogue.ts';
import { defineKind, listBy, ref } from './kind.ts';
import { active, count, flag, order, prose } from './scalars.ts';

const most = 1_000_000;

/** A team type (specification 2.3). Limits that are absent do not limit. */
export const teamType = defineKind({
  kind: 'TeamType',
  plural: 'teamTypes',
  path: 'team-types',
  declared: true,
  summary: 'The features of a team, the instance types it may use, and its limits.',
  spec: z.strictObject({
    description: prose('What people read when they choose this type.'),
    active: active(),
    order: order(),
    selfService: flag(true, 'Whether users may choose this type for their teams. When false only admins give it.'),
    features: featureSwitches.prefault({}).describe('The platform features of the teams of this type.'),
    instanceTypes: listBy(
      'name',
      z.strictObject({
        name: ref('InstanceType').describe('The instance type.'),
        limit: count(most)
          .optional()
          .describe('The most instances of this type that a team may have. Absent: no limit of its own.'),
      }),
    )
      .default([])
      .describe(
        'The instance types that these teams may use. A new instance type is in no list until it is added here.',
      ),
    limits: z
      .strictObject({
        members: count(most).optional().describe('The most members, pending invitations counted. Absent: no limit.'),
        instances: count(most).optional().describe('The most instances of all types together. Absent: no limit.'),
        devices: count(most).optional().describe('The most devices. Absent: no limit.'),
      })
      .prefault({})
      .describe('How much a team may have. Teams that have more already keep it, but get no more.'),
  }),
  example: `apiVersion: weir/v1
kind: TeamType
metadata:
  name: starter
  labels: {tier: free}
spec:
  description: For a first project.
  order: 10
  features:
    teamLibrary: true
  instanceTypes:
    - name: small
      limit: 2
  limits:
    members: 5
    instances: 2
`,
});
