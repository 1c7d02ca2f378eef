// What can go wrong with a directory, as an error. It never holds what the directory wrote, which may repeat a password.

/** What was being done: it stands in the words, and decides which setting to look at. */
export type Stage = 'connect' | 'bind' | 'find' | 'verify' | 'groups';

/**
 * Something that is wrong with a directory. `code`: of the system (`ECONNREFUSED`), of TLS (`CERT_HAS_EXPIRED`), or one of ours (`slow`, `overdue`,
 * `closed`, `plain`, `malformed`, `flood`, `filter`, `referral`, `result`). `result`: the result code that the directory answered (RFC 4511, appendix A).
 */
export class Trouble extends Error {
  readonly code: string;
  readonly result: number | undefined;
  readonly stage: Stage | undefined;
  readonly detail: string;

  constructor(code: string, { result, stage, detail = '' }: TroubleDetails = {}) {
    super(code);
    this.code = code;
    this.result = result;
    this.stage = stage;
    this.detail = detail;
  }
}

export interface TroubleDetails {
  readonly result?: number | undefined;
  readonly stage?: Stage | undefined;
  /** Our own words or a name of a setting, never what came over the wire. */
  readonly detail?: string;
}

/** Any error as trouble. Of one that is not known only the code is kept. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof Trouble) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return new Trouble('result', { result: code, detail: causeOf(error) });
  return new Trouble(typeof code === 'string' && /^[A-Z0-9_]{2,64}$/.test(code) ? code : 'unknown');
}

/** What is done, told with what goes wrong in it. */
export async function during<T>(stage: Stage, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const trouble = troubleOf(error);
    throw trouble.stage ? trouble : new Trouble(trouble.code, { ...trouble, stage });
  }
}

/** Active Directory tells in its text why it refuses; the number alone is taken from it. */
function causeOf(error: unknown): string {
  const data = error instanceof Error ? /AcceptSecurityContext error, data ([0-9a-f]{2,4}),/.exec(error.message) : null;
  return activeDirectory[data?.[1] ?? ''] ?? '';
}

const activeDirectory: Readonly<Record<string, string>> = {
  '525': 'there is no such user',
  '52e': 'the password is wrong',
  '530': 'the user may not sign in at this time',
  '531': 'the user may not sign in from this machine',
  '532': 'the password has expired',
  '533': 'the account is disabled',
  '701': 'the account has expired',
  '773': 'the password must be changed first',
  '775': 'the account is locked',
};
