// Why npm failed, in one line for people and in its own last lines for the log, without what is secret in either.
import { printable } from '../../core/model/printable.ts';

/** npm could not do it. The message is for people, in one line. */
export class NpmFailed extends Error {
  override readonly name = 'NpmFailed';
  readonly why: 'missing' | 'unreachable' | 'unknown' | 'full' | 'failed';
  /** What npm said last, line by line, without secrets. */
  readonly said: readonly string[];
  constructor(why: NpmFailed['why'], message: string, said: readonly string[] = []) {
    super(message);
    this.why = why;
    this.said = said;
  }
}

/** What npm said at its end, made into why it failed. `secrets` are texts that are shown to nobody. */
export function failureOf(output: string, secrets: readonly string[] = []): NpmFailed {
  const said = lastLines(output, secrets);
  const text = said.join('\n');
  const code = /npm (?:error|ERR!) code (\S+)/.exec(text)?.[1] ?? '';
  const lines = Array.from(text.matchAll(/npm (?:error|ERR!) (.+)/g), ([, line = '']) => line);
  const words = lines.find((line) => !/^(?:code |errno |syscall |A complete log)/.test(line))?.trim() ?? 'it failed';
  if (/^(E404|ETARGET|ENOVERSIONS)$/.test(code)) return new NpmFailed('unknown', words, said);
  if (code === 'EBADENGINE') {
    const needed = /Required: +\{"node":"([^"]+)"/.exec(text)?.[1] ?? 'another one';
    const message = `it does not run on this Node (${process.version}): it needs ${needed}`;
    return new NpmFailed('failed', message, said);
  }
  if (code === 'ENOSPC') return new NpmFailed('full', 'the disk is full', said);
  if (unreachable.test(code)) return new NpmFailed('unreachable', unreachableWords(code, text), said);
  return new NpmFailed('failed', words, said);
}

const unreachable =
  /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET|ENOTCACHED|FETCH_ERROR|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO)/;

function unreachableWords(code: string, text: string): string {
  const host = hostIn(text);
  const registry = host === undefined ? 'the npm registry' : `the npm registry ${host}`;
  if (code === 'ENOTCACHED')
    return `${registry} is not asked, because npm is told to stay offline (npm_config_offline), and its cache lacks this: let it go online`;
  const todo = /^(CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO)/.test(code)
    ? 'give the server the authority that signed its certificate (NODE_EXTRA_CA_CERTS)'
    : 'check its name and the way to it from this machine; behind a proxy give the server HTTPS_PROXY and NO_PROXY, and for another registry npm_config_registry';
  return `${registry} cannot be reached (${code}): ${todo}`;
}

/** The host that was asked: npm names the address of the request, or of the package. */
function hostIn(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => !line.includes('A complete log'));
  const [address = ''] = /https?:\/\/[^\s"']+/.exec(lines.join('\n')) ?? [];
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/** How many lines of npm are kept for the log, and how long one of them may be. */
const mostLines = 40;
const mostLength = 1000;

function lastLines(output: string, secrets: readonly string[]): readonly string[] {
  const hidden = secrets.filter((secret) => secret.length >= 4);
  const clear = hidden.reduce((text, secret) => text.replaceAll(secret, '***'), output);
  const lines = clear.split('\n').map((line) => printable(withoutCredentials(line.trimEnd())).slice(0, mostLength));
  return lines.filter((line) => line !== '').slice(-mostLines);
}

/** Without what addresses and settings of npm carry to prove who asks. */
function withoutCredentials(line: string): string {
  return line
    .replace(/:\/\/[^/@\s]*@/g, '://***@')
    .replace(/(_authtoken|_auth|_password|authorization)(["']?\s*[=:]\s*).*/gi, '$1$2***')
    .replace(/\b(bearer|basic) +\S+/gi, '$1 ***')
    .replace(/\bnpm_[0-9A-Za-z]{16,}/g, '***');
}

/** The values of a `.npmrc` that may be secret: of every setting but those that say where a registry is, and switches. */
export function secretsIn(npmrc: string | undefined): readonly string[] {
  const settings = (npmrc ?? '').split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  return settings.flatMap(([name, value]) => (/(^|:)_|password|token|username|key$/i.test(name) ? [value] : []));
}
