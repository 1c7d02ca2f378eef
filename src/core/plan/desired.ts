// What a document wants: the shapes that decoding makes and planning reads.
import type { DeclaredKindName, SpecOf } from '../kinds/index.ts';
import type { Document } from '../model/document.ts';
import type { Finding } from '../model/finding.ts';
import type { Labels, Lifecycle } from '../model/resource.ts';

/** What a document wants. */
export interface Desired<K extends DeclaredKindName = DeclaredKindName> {
  readonly kind: K;
  readonly name: string;
  readonly previousNames: readonly string[];
  readonly labels: Labels;
  readonly lifecycle: Lifecycle;
  readonly spec: SpecOf<K>;
  readonly document: Document;
  /** Where the document begins: the line of its `kind`. */
  readonly source: { readonly file: string; readonly line: number };
}

/** A decoded document, or what is wrong with it; `address` is what it tried to declare, where that can be told. */
export interface Decoded {
  readonly desired?: Desired;
  readonly address?: string;
  readonly findings: readonly Finding[];
  /** Pointers to what it does not have and its kind requires, outside of lists: as a part of a whole it would be right. */
  readonly lacks?: readonly string[];
  /** What can be read of a wrong one all the same. */
  readonly salvaged?: Salvaged;
}

/** What can be read of a wrong document: enough to say what else is wrong with it, never to be applied. */
export interface Salvaged {
  readonly desired: Desired;
  /** The parts of its spec that were left out, as JSON Pointers; one that ends with `/*` says that something below it was. */
  readonly unread: readonly string[];
  /** Where a part of the spec that was read stands in the document, as JSON Pointers: items of a list keep the places that they have there. */
  readonly written: (path: string) => string;
}

/** Answers the text of a public file that a document in some file names, or what is wrong with it. */
export type FileReader = (
  document: Pick<Document, 'file'>,
  path: string,
) => { readonly text: string } | { readonly problem: string };

/** What is being decoded, for messages. */
export interface Subject {
  readonly document: Document;
  readonly kind: DeclaredKindName;
  readonly name: string | undefined;
  /** What it is written in: YAML, unless this says so. */
  readonly language?: 'json';
}

/** What to write where a secret was written out. */
export const insteadOfSecret = 'write {fromEnv: WEIR_SECRET_…} or {fromFile: …} instead';
