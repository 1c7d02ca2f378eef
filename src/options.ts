// How this process runs: every flag of every command, each of which is also an environment variable, as one zod object.
import { z } from 'zod';
import { webAddress } from './core/kinds/web-address.ts';
import { withoutPassword } from './core/model/printable.ts';
import { withoutTrailing } from './core/model/without-trailing.ts';

const text = () => z.string().min(1, 'it is empty');
const path = (dash = 'nothing is read from stdin: name a file or folder') =>
  text().refine((value) => value !== '-', dash);
const number = () =>
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'it is not a number')
    .transform(Number);
const whole = () => number().pipe(z.int('it is not a whole number'));

/** What else there is to a flag. */
interface Marks {
  /** A letter that stands for it: `-o`. */
  readonly short?: string;
  /** It consents to something that cannot be undone: it is typed each time, and never read from the environment, where it would consent for ever. */
  readonly consent?: true;
  /** What it is where it is typed without a value; then a value is written behind `=`. */
  readonly bare?: string;
  /** An empty value means something. */
  readonly mayBeEmpty?: true;
}

/** A flag: the form of its value (a switch has none), whether it may be given several times, and what it does. */
interface Flag<S extends z.ZodType = z.ZodType> extends Marks {
  readonly value?: string;
  readonly many?: true;
  readonly says: string;
  readonly schema: S;
}

function flag<S extends z.ZodType>(value: string, says: string, schema: S, marks: Marks = {}): Flag<S> {
  return { value, says, schema, ...marks };
}

function toggle(says: string, marks: Marks = {}): Flag<z.ZodDefault<z.ZodBoolean>> {
  return { says, schema: z.boolean().default(false), ...marks };
}

function several(value: string, says: string, marks: Marks = {}): Flag<z.ZodDefault<z.ZodArray<z.ZodString>>> {
  return { value, many: true, says, schema: z.array(z.string().min(1, 'it is empty')).default([]), ...marks };
}

const table = {
  env: flag(
    'NAME',
    'the environment: overlays/NAME is merged over the tree',
    z
      .string()
      .regex(/^[A-Za-z0-9](?:[-A-Za-z0-9._]{0,61}[A-Za-z0-9])?$/, 'it is not the name of a folder below overlays/')
      .optional(),
  ),
  store: flag('DIR', 'the folder of the store (default .weir)', path().default('.weir')),
  instances: flag(
    'DIR',
    'the folder of the instances, which may be on a disk of their own (default the folder instances of the store)',
    path().optional(),
  ),
  reserve: flag(
    'MIB',
    'how much of its disk the store keeps for itself, so that a full one stops no sign-in (default 64)',
    whole().pipe(z.int().min(0, 'it is less than 0').max(65_536, 'it is more than 65536')).default(64),
  ),
  server: flag('URL', 'asks a running server instead of a store', httpAddress().optional()),
  tokenFile: flag('FILE', 'the file that holds the API token for --server', path().optional()),
  timeout: flag(
    'SECONDS',
    'how long to wait for the server (default 120)',
    number().pipe(z.number().positive('it is not more than 0').max(86_400, 'it is more than a day')).default(120),
  ),
  out: flag(
    'PATH',
    'where to write',
    path('nothing is written to stdout by this flag: name a file or folder').optional(),
  ),
  with: flag('CHANGE.json', 'prints the edit of the tree that makes a change which the API refused', path().optional()),
  check: toggle('changes no file; exits 1 where one is not formatted'),
  detailedExitcode: toggle('exits 2 when changes are pending'),
  allowDeletes: flag(
    'N',
    'consents to exactly N deletions',
    whole().pipe(z.int().min(0, 'it is less than 0')).optional(),
    { consent: true },
  ),
  adopt: several('KIND/NAME', 'consents to taking over an object that was made through the API; may be repeated', {
    consent: true,
  }),
  yes: toggle('deletes without asking on a terminal first', { consent: true }),
  watch: toggle('prints again after each change, until it is interrupted'),
  wait: flag(
    'SECONDS',
    'waits until Ready is True, 300 seconds unless it says otherwise; exits 1 when the time is up',
    number().pipe(z.number().positive('it is not more than 0').max(86_400, 'it is more than a day')).optional(),
    { bare: '300' },
  ),
  reason: flag(
    'TEXT',
    'why, for whoever looks at the status',
    text().max(500, 'it has more than 500 characters').optional(),
  ),
  host: flag('ADDRESS', 'the address to listen on (default 127.0.0.1)', text().default('127.0.0.1')),
  port: flag(
    'PORT',
    'the port to listen on; 0 takes any free one (default 3000)',
    whole().pipe(z.int().min(0, 'a port is 0 to 65535').max(65_535, 'a port is 0 to 65535')).default(3000),
  ),
  baseUrl: flag(
    'URL',
    'the address under which people reach the server (default http://HOST:PORT)',
    httpAddress().overwrite(normalForm).optional(),
  ),
  secretDir: flag(
    'DIR',
    'the folder that {fromFile} of a secret starts at (default /run/secrets)',
    path().default('/run/secrets'),
  ),
  secretKeyFile: flag(
    'FILE',
    'the file with the key that secrets in the store are encrypted with (default secret.key in the store; WEIR_SECRET_KEY is the key itself)',
    path().optional(),
  ),
  withKey: toggle('puts the key of the store into the backup, too: whoever has the file can read its secrets then'),
  logFormat: flag(
    'text|json',
    'how the log is written: lines for people, or an object a line (default text)',
    z.enum(['text', 'json'], 'it is neither text nor json').default('text'),
  ),
  logLevel: flag(
    'debug|info|warn|error',
    'the least that is logged (default info)',
    z.enum(['debug', 'info', 'warn', 'error'], 'it is none of debug, info, warn, error').default('info'),
  ),
  onStoreFailure: flag(
    'exit|read-only',
    'what to do where the disk fails so that nothing can be kept until the next start: end with 5, for a supervisor to start it again, or go on answering what is there (default exit)',
    z.enum(['exit', 'read-only'], 'it is neither exit nor read-only').default('exit'),
  ),
  strictStart: toggle('exits 1 when the tree cannot be applied at start, even if a good state could be served'),
  username: flag('NAME', 'the name of the admin (default admin)', text().default('admin')),
  email: flag('ADDRESS', 'the email address of the admin (default NAME@localhost)', text().optional()),
  passwordFile: flag('FILE', 'the file that holds the password (default: one is generated)', path().optional()),
  config: flag('NAME', 'the name of the single sign-on configuration', text().optional()),
  user: flag('EMAIL', 'the address of who signs in', text().optional()),
  groups: flag('A,B,C', 'the groups that the provider gives, separated by commas', z.string().optional(), {
    mayBeEmpty: true,
  }),
  quiet: toggle('prints only what is wrong: the exit code says the rest', { short: 'q' }),
  output: several('FORMAT[=FILE]', 'prints in a format, or writes it to a file; may be repeated', { short: 'o' }),
} as const;

/** The name of a flag in code; `flagName` is how it is typed. */
export type OptionName = keyof typeof table;

/** The names of all flags. */
export const optionNames = Object.keys(table) as readonly OptionName[];

/** How the process runs. */
export const options = z.strictObject(
  Object.fromEntries(optionNames.map((name) => [name, table[name].schema])) as {
    [N in OptionName]: (typeof table)[N]['schema'];
  },
);

/** How the process runs, with defaults filled in. */
export type Options = z.output<typeof options>;

/** A flag as it is typed and shown in help. */
export type FlagNote = Omit<Flag, 'schema'>;

/** What is known of a flag beside the type of its value. */
export function flagNote(name: OptionName): FlagNote {
  const { schema: _, ...note } = table[name] as Flag;
  return note;
}

/** `baseUrl` → `base-url`, as it is typed after `--`. */
export function flagName(name: OptionName): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `baseUrl` → `WEIR_BASE_URL`. */
export function variableName(name: OptionName): string {
  return `WEIR_${flagName(name).replaceAll('-', '_').toUpperCase()}`;
}

/** How a flag is written with its value: `--store DIR`, `--wait[=SECONDS]`, `--check`. */
export function flagForm(name: OptionName): string {
  const { value, bare } = flagNote(name);
  if (value === undefined) return `--${flagName(name)}`;
  return `--${flagName(name)}${bare === undefined ? ` ${value}` : `[=${value}]`}`;
}

/** The command line (or a variable that stands for a part of it) is wrong: nothing was done. The message may have several lines. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Flags as they were typed, by the name behind `--`: `undefined` for one without a value. */
export type TypedFlags = ReadonlyMap<string, readonly (string | undefined)[]>;

/**
 * The options of a command that knows the flags `known`. A flag that is not typed is looked up in the environment (lists are separated by
 * spaces or commas there), unless it consents to something. Throws `UsageError` with everything that is wrong.
 */
export function readOptions(known: readonly OptionName[], typed: TypedFlags, env: NodeJS.ProcessEnv): Options {
  const problems: string[] = [];
  const given: Record<string, unknown> = {};
  for (const name of known) {
    const value = givenFor(name, typed.get(flagName(name)), env[variableName(name)]);
    if ('problem' in value) problems.push(value.problem);
    else if (value.given !== undefined) given[name] = value.given;
  }
  const parsed = options.safeParse(given);
  for (const issue of parsed.error?.issues ?? []) problems.push(badValue(issue, given, typed));
  if (problems.length > 0 || !parsed.data) throw new UsageError(problems.join('\n'));
  return parsed.data;
}

/** Variables that would stand for consents of a command, and are not read. */
export function ignoredConsents(known: readonly OptionName[], env: NodeJS.ProcessEnv): readonly OptionName[] {
  return known.filter((name) => flagNote(name).consent && (env[variableName(name)] ?? '') !== '');
}

type Value = { readonly given: unknown } | { readonly problem: string };

function givenFor(
  name: OptionName,
  typed: readonly (string | undefined)[] | undefined,
  variable: string | undefined,
): Value {
  const { value: form, many, consent, bare, mayBeEmpty } = flagNote(name);
  const flag = `--${flagName(name)}`;
  if (typed === undefined)
    return variable === undefined || variable === '' || consent ? { given: undefined } : fromVariable(name, variable);
  if (!many && typed.length > 1) return { problem: `${flag} cannot be given ${typed.length} times: give it once` };
  if (form === undefined) return switchOf(name, typed);
  const values = typed.map((value) => value ?? bare);
  if (values.includes(undefined)) return { problem: `${flag} needs a value: ${flagForm(name)}` };
  if (values.includes('') && !mayBeEmpty) return { problem: `${flag} cannot be empty: write ${flag}=${form}` };
  return { given: many ? values : values[0] };
}

function switchOf(name: OptionName, typed: readonly (string | undefined)[]): Value {
  if (typed[0] !== undefined) return { problem: `--${flagName(name)} takes no value: write --${flagName(name)} alone` };
  return { given: true };
}

function fromVariable(name: OptionName, text: string): Value {
  const { value: form, many } = flagNote(name);
  if (many) return { given: text.split(/[\s,]+/).filter((item) => item !== '') };
  if (form !== undefined) return { given: text };
  if (/^(true|1|yes|on)$/i.test(text)) return { given: true };
  if (/^(false|0|no|off)$/i.test(text)) return { given: false };
  return { problem: `${variableName(name)} cannot be ${JSON.stringify(text)}: write true or false` };
}

function badValue(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>, typed: TypedFlags): string {
  const name = optionNames.find((option) => option === issue.path[0]) ?? 'store';
  const who = typed.has(flagName(name)) ? `--${flagName(name)}` : variableName(name);
  const value = given[name];
  const one = Array.isArray(value) ? value[Number(issue.path[1])] : value;
  return `${who} cannot be ${JSON.stringify(withoutPassword(one))}, because ${issue.message}`;
}

function httpAddress(): z.ZodString {
  return z
    .string()
    .refine(isHttpAddress, { error: 'it is not an http:// or https:// address', abort: true })
    .refine(isPlainAddress, { error: 'it holds more than host, port and path' });
}

/** As browsers write it, who send it back, without a slash at its end: other programs compare it letter by letter. */
function normalForm(text: string): string {
  return withoutTrailing(webAddress(text) ?? text, '/');
}

/** No password, which would stand in logs, and nothing behind the path, which would swallow what is added to it. */
function isPlainAddress(text: string): boolean {
  const { username, password } = new URL(text);
  return username === '' && password === '' && !/[?#]/.test(text);
}

function isHttpAddress(text: string): boolean {
  return webAddress(text) !== undefined;
}
