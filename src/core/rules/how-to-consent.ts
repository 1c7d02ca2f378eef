// How to consent to what a guard or a rule refuses, in findings and in what explains the rules: by a flag where somebody applies a tree, by a command or a request where a server does.

/** `consent with --allow-deletes 12; at a running server: …`; `body` is what says the same in a request, as JSON. */
function howToConsent(flag: string, body: string): string {
  const command = `"weir apply --server URL --token-file FILE ${flag}"`;
  return `consent with ${flag}; at a running server: ${command}, or POST /api/v1/admin/config/reconcile ${body}`;
}

/** How to consent to so many deletions; `N` stands for any number. */
export function howToAllowDeletes(count: number | 'N'): string {
  return `if that is meant, ${howToConsent(`--allow-deletes ${count}`, `{"allowDeletes":${count}}`)}`;
}

/** How to consent to a document that takes over an object made through the API. */
export function howToAdopt(address: string): string {
  return howToConsent(`--adopt ${address}`, JSON.stringify({ adopt: [address] }));
}
