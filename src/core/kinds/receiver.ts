// The noun Receiver: how far somebody who is told what became of the tree has been told. Its name is that of the notification.
import { z } from 'zod';
import { defineKind } from './kind.ts';
import { instant } from './scalars.ts';

/** A receiver of notifications, as deliveries know it. */
export const receiver = defineKind({
  kind: 'Receiver',
  plural: 'receivers',
  path: 'receivers',
  declared: false,
  internal: true,
  summary: 'How far a receiver of notifications has been told.',
  spec: z.strictObject({
    told: z
      .string()
      .nullable()
      .describe(
        'The id of the newest attempt in the history that is dealt with: delivered, given up, or not asked for.',
      ),
    url: z.string().describe('The address that was posted to.'),
    state: z
      .enum(['well', 'failing', 'gone'])
      .describe('Whether the last message was taken; `gone`: the receiver said that it wants none any more (410).'),
    reason: z.string().max(1000).describe('Why the last message was not taken; empty when it was.'),
    since: instant().describe('Since when the state is this.'),
  }),
});
