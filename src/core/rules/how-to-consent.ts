// How to consent to what a guard or a rule refuses: by a flag where somebody applies a tree, by a command or a request where a server does.

/** `consent with --allow-deletes 12; at a running server: …`; `body` is what says the same in a request. */
export function howToConsent(flag: string, body: object): string {
  const command = `"weir apply --server URL --token-file FILE ${flag}"`;
  return `consent with ${flag}; at a running server: ${command}, or POST /api/v1/admin/config/reconcile ${JSON.stringify(body)}`;
}

/** How to consent to so many deletions. */
export function howToAllowDeletes(allowDeletes: number): string {
  return `if that is meant, ${howToConsent(`--allow-deletes ${allowDeletes}`, { allowDeletes })}`;
}
