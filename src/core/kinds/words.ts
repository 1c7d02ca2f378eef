// What a kind is called in a sentence.
import type { KindName } from './index.ts';

/** Written otherwise than its parts in lower case. */
const otherwise: Partial<Readonly<Record<KindName, string>>> = {
  SsoConfig: 'single sign-on configuration',
  HttpToken: 'HTTP token',
};

/** `ProvisioningToken` → `provisioning token`. */
export function wordsOf(kind: KindName): string {
  return otherwise[kind] ?? kind.replace(/\B[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
