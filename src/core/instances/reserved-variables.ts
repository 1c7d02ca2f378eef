// Variables that steer the process of a runtime instead of its flows: nobody sets them, because who may set a variable may not always change flows.

/** Why a variable is not set by people, as it follows "because", and what to do. */
export interface Reserved {
  readonly because: string;
  readonly instead: string;
  /** It does no harm where it is set already, so it acts on there. */
  readonly mayStay?: true;
}

const leaveOut = 'leave it out, or give it another name';
const loads = 'it decides which code is loaded into the process of the runtime';
const starts = 'it decides which programs are started, and how';
const keeps = 'it says where the runtime and its programs keep what they have';
const own = { because: 'Weir itself uses it', instead: leaveOut };
const node = { because: 'it steers the Node.js that runs the runtime, or the runtime itself', instead: leaveOut };
const npm = { because: 'it steers npm', instead: 'set the option npmrc of the instance or its template' };
const ofLoading = { because: loads, instead: leaveOut };
const ofStarting = { because: starts, instead: leaveOut };
const ofKeeping = { because: keeps, instead: leaveOut };

/** By how they begin. npm reads its own in any case of the letters. */
const families: readonly (readonly [prefix: string, why: Reserved])[] = [
  ['WEIR_', own],
  ['NODE_', node],
  ['LD_', ofLoading],
  ['DYLD_', ofLoading],
  ['OPENSSL_', ofLoading],
  ['GIT_CONFIG', ofStarting],
];

/**
 * By their names. `INSTANCE_RUN` marks a runtime and what it starts. Free, on purpose: proxies (`HTTP_PROXY` and the like), which flows ask by; `LANG` and
 * `LC_*`; `PORT`, which the settings overrule; and `NR_*`, which the runtime answers flows by itself.
 */
const names: Readonly<Record<string, Reserved>> = {
  INSTANCE_RUN: own,
  ...named(ofLoading, 'GCONV_PATH', 'GLIBC_TUNABLES'),
  ...named(ofStarting, 'PATH', 'PATHEXT', 'SHELL', 'COMSPEC', 'ENV', 'BASH_ENV', 'SHELLOPTS', 'BASHOPTS', 'PS4'),
  ...named(ofStarting, 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_EXEC_PATH', 'GIT_PROXY_COMMAND', 'GIT_ASKPASS'),
  ...named(ofKeeping, 'HOME', 'HOMEPATH', 'HOMEDRIVE', 'USERPROFILE', 'APPDATA', 'XDG_CONFIG_HOME'),
  ...named(ofKeeping, 'TMPDIR', 'TMP', 'TEMP', 'SYSTEMROOT', 'WINDIR'),
};

/** The time zone of an instance is an option; a device has no options. */
const timeZone: Reserved = {
  because: 'the time zone of an instance is an option',
  instead: 'set the option timeZone of the instance or its template',
  mayStay: true,
};

/** Where a variable is set: of an instance (or the template of many), or of a device; and whether the system there reads names in any case. */
export interface VariablePlace {
  readonly of: 'instance' | 'device';
  readonly anyCase?: boolean;
}

/** Why a variable is not set there; nothing where it may be. */
export function reservedVariable(name: string, { of, anyCase = false }: VariablePlace): Reserved | undefined {
  const upper = name.toUpperCase();
  if (upper.startsWith('NPM_CONFIG_')) return of === 'device' ? { ...npm, instead: leaveOut } : npm;
  const read = anyCase ? upper : name;
  if (read === 'TZ') return of === 'instance' ? timeZone : undefined;
  if (Object.hasOwn(names, read)) return names[read];
  return families.find(([prefix]) => read.startsWith(prefix))?.[1];
}

/** The variables that a runtime gets, and the names of those that it does not, whoever set them when. */
export function withoutReserved<V extends { readonly name: string }>(
  variables: readonly V[],
  place: VariablePlace,
): { readonly given: readonly V[]; readonly left: readonly string[] } {
  const isLeft = ({ name }: V) => {
    const reserved = reservedVariable(name, place);
    return reserved !== undefined && !reserved.mayStay;
  };
  return {
    given: variables.filter((one) => !isLeft(one)),
    left: variables.filter(isLeft).map(({ name }) => name),
  };
}

function named(why: Reserved, ...list: readonly string[]): Readonly<Record<string, Reserved>> {
  return Object.fromEntries(list.map((name) => [name, why]));
}
