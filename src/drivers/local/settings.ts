// From the options of an instance to the settings of its runtime (https://nodered.org/docs/user-guide/runtime/configuration).
import { createHash } from 'node:crypto';
import type { Secret } from '../../core/kinds/kind.ts';
import { DriverFailed, type Run } from '../driver.ts';
import type { Folder } from './folder.ts';
import { loopback } from './ports.ts';
import { principalKey } from './principal-key.ts';

/** What the settings are made for. */
export interface SettingsPlace {
  readonly folder: Folder;
  /** The folder of the runtime's own package. */
  readonly runtime: string;
  readonly port: number;
}

/** What stands in the settings file: everything but secrets. */
export function settingsFor({ options, path }: Run, { folder, runtime, port }: SettingsPlace): object {
  const { editorPath, excludedNodes, dashboardPath, apiMaxLength, debugMaxLength, httpCors } = options;
  return dense({
    runtime,
    uiHost: loopback,
    uiPort: port,
    userDir: folder.home,
    flowFile: 'flows.json',
    httpAdminRoot: path === undefined ? editorPath : `${path}${withSlash(editorPath ?? '/')}`,
    httpNodeRoot: path === undefined ? undefined : `${path}/`,
    disableEditor: options.disableEditor,
    nodesExcludes: excludedNodes?.split(',').filter((file) => file !== ''),
    functionExternalModules: options.functionExternalModules ?? false,
    contextStorage: options.contextStorage && { default: { module: contextModules[options.contextStorage] } },
    apiMaxLength,
    debugMaxLength,
    httpNodeCors: httpCors && { origin: originsOf(httpCors.origins), methods: httpCors.methods.join(',') },
    ui: dashboardPath === undefined ? undefined : { path: dashboardPath.replace(/^\/+/, '') },
    externalModules: options.paletteAllowInstall === undefined ? undefined : palette(options.paletteAllowInstall),
    editorTheme: themeOf(options),
    telemetry: { enabled: false, updateNotification: false },
  });
}

/** What the runtime calls its stores of context. */
const contextModules = { memory: 'memory', file: 'localfilesystem' } as const;

function themeOf({ theme, pageTitle, headerTitle, codeEditor, catalogues }: Run['options']): object {
  return dense({
    theme,
    page: pageTitle === undefined ? undefined : { title: pageTitle },
    header: headerTitle === undefined ? undefined : { title: headerTitle },
    codeEditor: codeEditor && { lib: codeEditor },
    palette: catalogues && { catalogues },
    projects: { enabled: false },
    tours: false,
  });
}

function palette(allowInstall: boolean): object {
  return { palette: { allowInstall, allowUpload: allowInstall }, modules: { allowInstall } };
}

/** As it follows another path. */
export function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

function originsOf(origins: readonly string[]): string | readonly string[] {
  return origins.includes('*') ? '*' : origins;
}

function dense(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Answers the value of a secret, or why it cannot be had. */
export type SecretOf = (secret: Secret) => { readonly value: string } | { readonly message: string };

/** The secrets of an instance as they are now. */
export interface Secrets {
  readonly credentialSecret: string;
  readonly npmrc?: string;
  readonly httpAuth?: { readonly username: string; readonly password: string };
}

/** The secrets of an instance. Throws `DriverFailed` for one that cannot be had: it must not run more open than it should. */
export function secretsFor({ options, credentialSecret }: Run, secretOf: SecretOf): Secrets {
  const { npmrc, httpAuth } = options;
  const value = (option: string, secret: Secret) => {
    const found = secretOf(secret);
    if ('value' in found) return found.value;
    throw new DriverFailed('SecretMissing', `the secret of its option ${option} cannot be had: ${found.message}`);
  };
  return {
    credentialSecret,
    ...(npmrc ? { npmrc: value('npmrc', npmrc) } : {}),
    ...(httpAuth ? { httpAuth: passwordOf(httpAuth, (secret) => value('httpAuth', secret)) } : {}),
  };
}

function passwordOf(
  { username, password }: NonNullable<Run['options']['httpAuth']>,
  value: (secret: Secret) => string,
) {
  if (username === undefined || password === undefined)
    throw new DriverFailed(
      'SecretMissing',
      'its option httpAuth has no user name or no password: give it both, or leave it out',
    );
  return { username, password: value(password) };
}

/** What the runtime is told once, when it starts: hashes where those will do. */
export function toldSecrets({ credentialSecret, httpAuth }: Secrets, token: string): object {
  return {
    credentialSecret,
    tokenHash: sha256(token),
    principalKey: principalKey(token).export().toString('hex'),
    ...(httpAuth ? { httpAuth: { username: httpAuth.username, passwordHash: sha256(httpAuth.password) } } : {}),
  };
}

/** SHA-256, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What tells whether a runtime was started with the same. */
export function digestOf(run: Run, secrets: Secrets): string {
  const { runtime, resources, options, environment, path, safe } = run;
  return sha256(JSON.stringify([runtime, resources, options, environment, secrets, path, ...(safe ? ['safe'] : [])]));
}
