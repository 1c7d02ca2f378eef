// A username for somebody whom a provider knows, made of what it calls them (specification 2.8).

import type { Identity } from '../model/identity.ts';
import type { View } from '../model/view.ts';
import { withoutTrailing } from '../model/without-trailing.ts';
import { freeName } from './free-slug.ts';

/** A username that is free: what the provider calls them, else what stands before the "@" of their address, else `user`; numbered where it is taken. */
export function derivedUsername(view: View, { username = '', email }: Pick<Identity, 'username' | 'email'>): string {
  const local = email.slice(0, email.lastIndexOf('@'));
  return freeName(view, 'User', usernameFrom(username) || usernameFrom(local) || 'user');
}

/** Text of any kind as a username, in lower case; of a name with an "@" what stands before it. Empty where nothing is left. */
function usernameFrom(text: string): string {
  const [name = ''] = text.slice(0, 1000).split('@');
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const letters = plain.replaceAll(/[ßæœøđðþłı]/g, (letter) => spelled[letter] ?? '');
  const words = letters.replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[._-]+/, '');
  return withoutTrailing(words.slice(0, 63), '._-');
}

/** Letters that are no letter of ASCII with a mark. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};
