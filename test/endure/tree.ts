// The tree of a run: what its files say, and what may be written into them, good and bad.

/** The files that stay as they are. Instances need no driver: they are made, changed and deleted, and never started. */
export const treeFiles: Readonly<Record<string, string>> = {
  'weir.yaml': `kind: Platform
metadata: {name: platform}
spec:
  driver: {kind: container}
  reconcile: {settleMs: 100, pollSeconds: 1}
  api: {rateLimit: {signInPerMinute: 0}}
`,
  'settings.yaml': `kind: AdminSettings
metadata: {name: default}
spec: {userTeamCreation: true}
`,
  'types.yaml': `kind: Stack
metadata: {name: nr-4}
spec: {runtime: "4.1"}
---
kind: InstanceType
metadata: {name: small}
spec: {stacks: [nr-4]}
---
kind: TeamType
metadata: {name: starter}
spec: {instanceTypes: [{name: small}]}
---
kind: TeamType
metadata: {name: large}
spec: {instanceTypes: [{name: small}]}
---
kind: Template
metadata: {name: standard}
spec:
  options:
    editorPath: {value: /editor, locked: true}
    pageTitle: {value: Flows}
`,
  'edited.yaml': editedText('0'),
};

/** The file that is edited: two documents that say the same, so that half of an edit can be told from all of it. */
export function editedText(mark: string): string {
  return `kind: Stack
metadata: {name: edited}
spec: {label: "${mark}", runtime: "4.1"}
---
kind: Template
metadata: {name: edited}
spec: {description: "${mark}"}
`;
}

/** What is wrong with a bad edit, each for another reason; every one of them has a mark that must never be seen. */
export const spoiled: Readonly<Record<string, (mark: string) => string>> = {
  'no YAML': (mark) => editedText(mark).replace(/\}\n$/, '\n'),
  'an unknown key': (mark) => editedText(mark).replace('label:', 'lable: x, label:'),
  'a reference to nothing': (mark) =>
    `${editedText(mark)}---\nkind: InstanceType\nmetadata: {name: broken}\nspec: {stacks: [nowhere]}\n`,
  'a rule broken': (mark) =>
    `${editedText(mark)}---\nkind: InstanceType\nmetadata: {name: broken}\nspec: {stacks: [nr-4, edited]}\n`,
  'the same twice': (mark) => `${editedText(mark)}---\nkind: Stack\nmetadata: {name: edited}\nspec: {runtime: x}\n`,
  'no bytes at all': () => '',
};
