// The runtime options that a template sets and an instance may override: one line of meaning each.
import { z } from 'zod';
import { listBy, matching, secret, setOf } from './kind.ts';
import { text, url } from './scalars.ts';

const path = () =>
  matching(255, /^\/[A-Za-z0-9._~/-]*$/, 'it must begin with "/" and hold letters, digits and ._~/- only');

const zoneWords = 'it must be the name of a time zone, like Europe/Berlin';

// The pattern is for editors; the names themselves are those that the JavaScript engine knows.
const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, { error: zoneWords })
  .meta({ pattern: '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$', patternErrorMessage: zoneWords });

// A memo of a pure function: making a format costs as much as decoding several documents.
const knownZones = new Map<string, boolean>();

function isTimeZone(name: string): boolean {
  const known = knownZones.get(name);
  if (known !== undefined) return known;
  const exists = isTimeZoneOfTheEngine(name);
  if (exists) knownZones.set(name, exists);
  return exists;
}

function isTimeZoneOfTheEngine(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The value of each option (specification 2.6), with what it does. */
export const optionValues = {
  disableEditor: z
    .boolean()
    .describe('Whether the flow editor is switched off; flows then run, but nobody can open them.'),
  editorPath: path().describe('The path under which the editor is served; begins with `/`.'),
  dashboardPath: path().describe('The path under which dashboards are served; begins with `/`.'),
  codeEditor: z.enum(['monaco', 'ace']).describe('The text editor for function nodes and the like.'),
  theme: text(214).describe('The name of the editor theme.'),
  pageTitle: text(255).describe('The title of the editor page in the browser.'),
  headerTitle: text(255).describe('The title in the header of the editor.'),
  timeZone: timeZone.describe('The time zone of the instance, by its IANA name like `Europe/Berlin`.'),
  paletteAllowInstall: z.boolean().describe('Whether people may install nodes from within the editor.'),
  excludedNodes: matching(
    4096,
    /^([^,/\\]+(,[^,/\\]+)*)?$/,
    'it must be file names separated by commas, without a folder',
  ).describe(
    'Nodes that are not loaded: file names of the runtime’s own, and names of modules, separated by commas, like `90-exec.js,10-file.js`.',
  ),
  contextStorage: z
    .enum(['memory', 'file'])
    .describe(
      'Where flows keep their context: in memory, lost when the runtime ends, or in files of the instance, written every 30 s and when it ends in order. Absent: in memory.',
    ),
  functionExternalModules: z
    .boolean()
    .describe(
      'Whether function nodes may name modules that they load, also those of the runtime itself like `fs`. Absent: they may not.',
    ),
  paletteModules: listBy(
    'name',
    z.strictObject({
      name: matching(
        214,
        /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/,
        'it must be the name of an npm package',
      ).describe('The name of the package.'),
      version: text(100).default('*').describe('The version or range of versions. Quote it: "1.10".'),
    }),
  ).describe('Node packages that are installed before an instance starts.'),
  catalogues: z.array(url()).describe('Addresses of the catalogues that the editor offers nodes from, in this order.'),
  npmrc: secret().describe(
    'The content of the `.npmrc` that packages are installed with, by reference: it holds registry tokens.',
  ),
  apiMaxLength: matching(20, /^[1-9][0-9]*(b|kb|mb|gb)$/, 'it must be a number and b, kb, mb or gb, like 5mb').describe(
    'The largest HTTP body that an instance accepts, like `512kb`; the runtime takes `5mb` by itself.',
  ),
  debugMaxLength: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('The length at which a debug message is cut, in characters; the runtime cuts at 1000 by itself.'),
  httpAuth: z
    .strictObject({
      username: text(255).optional().describe('The user name that a caller must give.'),
      password: secret().optional().describe('The password that a caller must give, by reference.'),
    })
    .describe('Basic authentication in front of the HTTP endpoints and dashboards of an instance.'),
  httpCors: z
    .strictObject({
      origins: setOf(text(255)).default(['*']).describe('The origins whose pages may call the endpoints; `*` is any.'),
      methods: setOf(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
        .default(['GET', 'POST', 'PUT', 'DELETE'])
        .describe('The methods that they may use.'),
    })
    .describe('Which pages of other sites may call the HTTP endpoints of an instance.'),
  healthCheckIntervalMs: z
    .int()
    .min(1000)
    .max(3_600_000)
    .describe('How often an instance is asked whether it still works, in milliseconds (1000 to 3600000).'),
} as const;

/** The name of an option. */
export type OptionName = keyof typeof optionValues;

/** The options that an instance overrides: each of its own type, all optional. */
export const optionOverrides = z.strictObject(optionValues).partial();
