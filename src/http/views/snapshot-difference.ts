// How it looks in answers what differs between two snapshots, or a snapshot and its instance.
import { z } from 'zod';
import { component } from '../json-schema.ts';

const item = {
  id: z.string().describe('The id of the node.'),
  type: z.string().describe('Its type; `tab` for a tab.'),
  name: z.string().optional().describe('What people call it, where it has a name.'),
  tab: z.string().optional().describe('The id of the tab or subflow that it stands on.'),
};

const module = z.strictObject({
  name: z.string().describe('The package.'),
  version: z.string().describe('Its version or range of versions.'),
});

/** What differs. */
export const snapshotDifferenceView = component(
  'SnapshotDifference',
  z.strictObject({
    same: z.boolean().describe('Whether nothing differs.'),
    flows: z
      .strictObject({
        added: z.array(z.strictObject(item)).describe('Nodes and tabs that the snapshot does not have.'),
        removed: z.array(z.strictObject(item)).describe('Nodes and tabs that only the snapshot has.'),
        changed: z
          .array(z.strictObject({ ...item, fields: z.array(z.string()).describe('The names of the fields.') }))
          .describe('Nodes and tabs of which fields differ.'),
      })
      .describe('Nodes and tabs.'),
    modules: z
      .strictObject({
        added: z.array(module).describe('Packages that the snapshot does not have.'),
        removed: z.array(module).describe('Packages that only the snapshot has.'),
        changed: z
          .array(
            z.strictObject({
              name: z.string().describe('The package.'),
              before: z.string().describe('Its version in the snapshot.'),
              after: z.string().describe('The other one.'),
            }),
          )
          .describe('Packages of other versions.'),
      })
      .describe('Node packages.'),
    settings: z
      .array(z.string())
      .describe(
        'The names of settings that differ: `runtime`, `resources`, options, and variables as `environment.NAME`.',
      ),
  }),
);

/** What differs in an example. */
export const exampleDifference: z.output<typeof snapshotDifferenceView> = {
  same: false,
  flows: {
    added: [{ id: 'c1f0b9a2', type: 'http in', tab: 'a7d3e4f5' }],
    removed: [],
    changed: [{ id: 'b2d4c6e8', type: 'function', name: 'Make the label', tab: 'a7d3e4f5', fields: ['func'] }],
  },
  modules: { added: [], removed: [], changed: [{ name: 'node-red-node-random', before: '~0.4.0', after: '~0.4.1' }] },
  settings: ['environment.LINE'],
};
