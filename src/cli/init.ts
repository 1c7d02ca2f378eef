// weir init: a small tree to start from.

import { resolve } from 'node:path';
import { withoutTrailing } from '../core/model/without-trailing.ts';
import { generatedFiles } from '../core/schemas/generate.ts';
import { exitCodes } from './exit-codes.ts';
import { type NewFile, writeNewFiles } from './files.ts';
import { defaultTree } from './tree.ts';
import type { Verb } from './verb.ts';

export const init: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: ['quiet'],
  details: `Writes into DIR (default ${defaultTree}) what a platform needs at least: one stack, one instance type, one template, one team type.
Nothing that is there is overwritten. The schemas for your editor go to DIR/.schemas.`,
  examples: ['weir init', 'weir init platform && weir validate platform'],
  async run({ args: [folder = defaultTree], io }) {
    const schema: NewFile = {
      path: '.schemas/document.schema.json',
      content: generatedFiles()['document.schema.json'] ?? '',
    };
    await writeNewFiles(resolve(io.cwd, folder), [...smallTree.map(withSchema), schema], 'init');
    const here = folder === defaultTree ? '' : ` ${folder}`;
    io.stdout.write(
      `${smallTree.map(({ path }) => `${withoutTrailing(folder, '/')}/${path}\n`).join('')}\nNext: weir validate${here}, weir plan${here}, weir serve${here}\n`,
    );
    return exitCodes.fine;
  },
};

function withSchema({ path, content }: NewFile): NewFile {
  const up = '../'.repeat(path.split('/').length - 1);
  return { path, content: `# yaml-language-server: $schema=${up}.schemas/document.schema.json\n${content}` };
}

const smallTree: readonly NewFile[] = [
  {
    path: 'weir.yaml',
    content: `# The root of the tree: a folder without this file is not one. "weir explain Platform" shows all that can stand here.
apiVersion: weir/v1
kind: Platform
metadata:
  name: platform
spec:
  licence: community
  driver:
    kind: local
`,
  },
  {
    path: 'admin-settings.yaml',
    content: `# What people may do by themselves. All of it is off unless it is switched on here.
apiVersion: weir/v1
kind: AdminSettings
metadata:
  name: default
spec:
  userTeamCreation: true
`,
  },
  {
    path: 'stacks/nr-5-0.yaml',
    content: `# The runtime that instances run. For a new version add a stack that replaces this one.
apiVersion: weir/v1
kind: Stack
metadata:
  name: nr-5-0
spec:
  label: Node-RED 5.0
  # The exact name of a directory in the stacks directory. Numbers are quoted.
  runtime: "5.0.7"
  resources:
    memoryMb: 512
`,
  },
  {
    path: 'instance-types/small.yaml',
    content: `# A size of instance, and the stacks it may run.
apiVersion: weir/v1
kind: InstanceType
metadata:
  name: small
spec:
  description: A few flows with little traffic.
  stacks:
    - nr-5-0
`,
  },
  {
    path: 'templates/standard.yaml',
    content: `# Default options of instances. A locked one cannot be overridden.
apiVersion: weir/v1
kind: Template
metadata:
  name: standard
spec:
  description: What instances start with.
  options:
    timeZone:
      value: Etc/UTC
    excludedNodes:
      value: "90-exec.js"
      locked: true
`,
  },
  {
    path: 'team-types/starter.yaml',
    content: `# What a team of this type has, may use, and how much of it.
apiVersion: weir/v1
kind: TeamType
metadata:
  name: starter
spec:
  description: For a first team.
  features:
    # These two are on unless they are switched off; without AI on the platform they have no effect.
    assistantChat: false
    assistantInsights: false
  instanceTypes:
    - name: small
      limit: 5
  limits:
    members: 10
`,
  },
];
