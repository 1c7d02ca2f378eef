// The noun Template: the runtime's default options, each free or locked.
import { z } from 'zod';
import { defineKind, listBy } from './kind.ts';
import { active, flag, prose, variableName } from './scalars.ts';
import { type OptionName, optionValues } from './template-options.ts';

function option<V extends z.ZodType>(value: V) {
  const description = value.description ?? '';
  return z
    .strictObject({
      value: value.optional().describe(`${description} Absent: what the runtime does by itself.`),
      locked: flag(false, 'Whether instances may not override the option.'),
    })
    .optional()
    .describe(description);
}

const options = {
  disableEditor: option(optionValues.disableEditor),
  editorPath: option(optionValues.editorPath),
  dashboardPath: option(optionValues.dashboardPath),
  codeEditor: option(optionValues.codeEditor),
  theme: option(optionValues.theme),
  pageTitle: option(optionValues.pageTitle),
  headerTitle: option(optionValues.headerTitle),
  timeZone: option(optionValues.timeZone),
  paletteAllowInstall: option(optionValues.paletteAllowInstall),
  excludedNodes: option(optionValues.excludedNodes),
  contextStorage: option(optionValues.contextStorage),
  functionExternalModules: option(optionValues.functionExternalModules),
  paletteModules: option(optionValues.paletteModules),
  catalogues: option(optionValues.catalogues),
  npmrc: option(optionValues.npmrc),
  apiMaxLength: option(optionValues.apiMaxLength),
  debugMaxLength: option(optionValues.debugMaxLength),
  httpAuth: option(optionValues.httpAuth),
  httpCors: option(optionValues.httpCors),
  healthCheckIntervalMs: option(optionValues.healthCheckIntervalMs),
} as const satisfies Record<OptionName, z.ZodType>;

/** A template (specification 2.6). Edits act when an instance next starts. */
export const template = defineKind({
  kind: 'Template',
  plural: 'templates',
  path: 'templates',
  declared: true,
  summary: 'Default runtime options and variables of instances, each free or locked.',
  spec: z.strictObject({
    description: prose('What people read when they choose this template.'),
    active: active(),
    options: z
      .strictObject(options)
      .prefault({})
      .describe(
        'Runtime options. One that is absent is left to the instance, and there to the runtime. Edits act when an instance next starts.',
      ),
    environment: listBy(
      'name',
      z.strictObject({
        name: variableName().describe('The name of the variable.'),
        value: z.string().max(32_768).default('').describe('The value. Quote numbers and words like "true".'),
        locked: flag(false, 'Whether instances may not give the variable another value.'),
      }),
    )
      .default([])
      .describe('Environment variables of the instances. Edits act when an instance next starts.'),
  }),
  example: `apiVersion: weir/v1
kind: Template
metadata:
  name: standard
spec:
  description: What most teams start with.
  options:
    codeEditor: {value: monaco}
    timeZone: {value: Europe/Berlin}
    excludedNodes: {value: "90-exec.js,10-file.js", locked: true}
    paletteModules:
      value:
        - name: node-red-contrib-modbus
          version: "^5.0.0"
  environment:
    - name: SITE
      value: main
      locked: true
`,
});
