// The object whose spec somebody wrote.
import type { DeclaredKindName } from '../kinds/index.ts';

/** The object whose spec was written, and what was written. */
export interface SpecSubject {
  readonly kind: DeclaredKindName;
  readonly name: string;
  readonly written: unknown;
}
