// Access tokens: their form, their checksum, and what is kept of them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashToken, mintToken, useOfToken } from '../../src/auth/token.ts';

const minting = suite('minting a token');

minting('makes weirp_, 40 random and 6 checking base62 characters, another each time', () => {
  const tokens = new Set(Array.from({ length: 200 }, () => mintToken().token));
  assert.is(tokens.size, 200);
  for (const token of tokens) assert.match(token, /^weirp_[0-9A-Za-z]{46}$/);
});

minting('gives the hash to keep, which is not the token', () => {
  const { token, hash } = mintToken();
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.is(hash, hashToken(token));
});

minting.run();

const recognising = suite('recognising a token');

recognising('knows its own, and the checksum stays as it is', () => {
  assert.ok(useOfToken(mintToken().token));
  assert.ok(useOfToken(`weirp_${'a'.repeat(40)}3gcfED`));
});

recognising('refuses any character changed, cut or added', () => {
  const { token } = mintToken();
  for (let at = 6; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x';
    assert.not(useOfToken(token.slice(0, at) + other + token.slice(at + 1)), `changed at ${at}`);
  }
  for (const wrong of [
    '',
    'weirp_',
    token.slice(1),
    `${token}a`,
    `${token}\n`,
    ` ${token}`,
    token.toUpperCase(),
    token.replace('weirp_', 'weird_'),
  ])
    assert.not(useOfToken(wrong), JSON.stringify(wrong));
});

recognising.run();
