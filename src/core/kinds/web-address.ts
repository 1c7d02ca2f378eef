// An http(s) address that somebody wrote, in its normal form.

/**
 * The address as programs write it (`href`); nothing where it is no http or https address, or where a space or control character stands in it:
 * parsers leave some of those out, so what was written would not be what is meant.
 */
export function webAddress(text: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

/** Whether a user name or password stands in a web address: browsers would show or drop it, and logs would keep it. */
export function holdsUser(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}
