// Writes made-up but valid trees of any size: what the tests and the benchmarks of reading, planning and reloading run on.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `documents`: how many besides `weir.yaml`. `onePerFile`: false puts about fifty of a kind into each file. */
export interface SyntheticOptions {
  readonly documents: number;
  readonly onePerFile?: boolean;
}

/** Writes the tree and answers the relative paths of its files, `weir.yaml` first. */
export function writeTree(folder: string, options: SyntheticOptions): string[] {
  const files = syntheticTree(options);
  const folders = new Set<string>();
  for (const [path, text] of files) {
    const file = join(folder, path);
    const parent = dirname(file);
    if (!folders.has(parent)) mkdirSync(parent, { recursive: true });
    folders.add(parent);
    writeFileSync(file, text);
  }
  return [...files.keys()];
}

/** The same tree in memory: relative path → text. Names and texts depend on the number alone. */
export function syntheticTree({ documents, onePerFile = true }: SyntheticOptions): Map<string, string> {
  const files = new Map([['weir.yaml', platform]]);
  for (let index = 0; index < documents; index += 1) {
    const { kind, text } = syntheticDocument(index);
    const file = onePerFile
      ? `${folders[kind]}/${names[kind]}-${index}.yaml`
      : `${folders[kind]}/${Math.floor(index / 200)}.yaml`;
    const before = files.get(file);
    files.set(file, before === undefined ? text : `${before}---\n${text}`);
  }
  return files;
}

/** Document number `index`: four in a row make a group of a stack, an instance type on it, a team type with that, and a template. */
export function syntheticDocument(index: number): { readonly kind: SyntheticKind; readonly text: string } {
  const kind = kinds[index % kinds.length] ?? 'Stack';
  return { kind, text: writers[kind](index, index - (index % kinds.length)) };
}

export type SyntheticKind = 'Stack' | 'InstanceType' | 'TeamType' | 'Template';

const kinds: readonly SyntheticKind[] = ['Stack', 'InstanceType', 'TeamType', 'Template'];
const folders = {
  Stack: 'stacks',
  InstanceType: 'instance-types',
  TeamType: 'team-types',
  Template: 'templates',
} as const;
const names = { Stack: 'stack', InstanceType: 'size', TeamType: 'team', Template: 'template' } as const;

const platform = `apiVersion: weir/v1
kind: Platform
metadata:
  name: platform
spec:
  licence: community
  driver:
    kind: container
`;

const writers: Record<SyntheticKind, (index: number, first: number) => string> = {
  // Chains of ten: each stack but the first of its chain replaces the one before it.
  Stack: (index) => `apiVersion: weir/v1
kind: Stack
metadata:
  name: stack-${index}
  labels:
    tier: "${index % 7}"
    line: long-term-support
lifecycle:
  protect: ${index % 8 === 0}
  onRemove: delete
spec:
  label: Runtime 4.${index} (long-term support)
  active: true
  # What the driver starts.
  runtime: registry.example.com/flow-runtime:4.${index}
  resources:
    memoryMb: ${256 + (index % 16) * 64}
    cpuPercent: ${10 + (index % 9) * 10}
${index % 40 === 0 ? '' : `  replaces: stack-${index - 4}\n`}`,

  InstanceType: (index, first) =>
    `apiVersion: weir/v1
kind: InstanceType
metadata:
  name: size-${index}
  labels:
    tier: "${index % 7}"
    line: long-term-support
lifecycle:
  onRemove: orphan
spec:
  description: >-
    For flows with up to ${index} nodes,
    and for those who want to try.
  active: true
  order: ${index}
  # What users may choose from.
  stacks:
    - stack-${first}
    - stack-${first === 0 ? 0 : first - 4}
  defaultStack: stack-${first}
`.replace('    - stack-0\n    - stack-0\n', '    - stack-0\n'),

  TeamType: (index, first) => `apiVersion: weir/v1
kind: TeamType
metadata:
  name: team-${index}
  labels: {tier: "${index % 7}", line: long-term-support}
spec:
  description: "Teams of the ${index}th kind"
  active: true
  order: ${index}
  selfService: ${index % 2 === 0}
  features:
    teamLibrary: false
    projectNodes: false
    emailAlerts: false
  instanceTypes:
    - name: size-${first + 1}
      limit: ${1 + (index % 20)}
  limits:
    members: ${5 + (index % 50)}
    instances: 10
    devices: 100
`,

  Template: (index) => `apiVersion: weir/v1
kind: Template
metadata:
  name: template-${index}
  labels:
    tier: "${index % 7}"
spec:
  description: What most flows of group ${index} start from
  active: true
  options:
    disableEditor: {value: false, locked: true}
    timeZone: {value: Europe/Berlin}
    apiMaxLength: {value: 5mb}
    pageTitle:
      value: 'Flows ${index}'
      locked: false
  environment:
    - name: REGION
      value: eu-${index % 5}
      locked: true
    - name: LEVEL
      value: info
`,
};
