// What every mail is made with: whom it goes to, links and moments. Links begin with the base URL, never with what a request called the server.
import { addressAt } from './layout.ts';

/** What each mail needs. Times are RFC 3339. */
export interface About {
  readonly baseUrl: string;
  readonly to: string;
}

/** A link to a path of ours. */
export function link({ baseUrl }: About, label: string, path: string) {
  return { label, address: addressAt(baseUrl, path) };
}

/** `21 November 2026, 14:36 UTC`. */
export function moment(time: string): string {
  const date = new Date(time);
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}
