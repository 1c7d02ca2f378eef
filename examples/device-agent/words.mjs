// What is told to the platform of something that failed: its end, without secrets and without what steers a terminal.

/** In characters: what the platform takes. */
const most = 2000;

/** `secrets`: texts that must not be in it. */
export function toldOf(error, secrets) {
  let text = String(error?.cause ? `${error.message} (${error.cause.message})` : (error?.message ?? error));
  // A secret of several lines may have been broken up.
  const parts = secrets.flatMap((secret) => [secret, ...String(secret ?? '').split('\n')]).filter((part) => part?.length > 3);
  for (const part of parts.sort((one, other) => other.length - one.length)) text = text.replaceAll(part, '***');
  text = text
    .replace(/(:\/\/)[^\s/@]*@/g, '$1***@')
    .replace(/((?:_authToken|_auth|_password)\s*=\s*)\S+/g, '$1***')
    .replace(/(bearer\s+)\S+/gi, '$1***')
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
    .replace(/[^\P{Cc}\n]/gu, ' ')
    .trim();
  return text.length > most ? `…${text.slice(1 - most)}` : text || 'it failed without a word';
}
