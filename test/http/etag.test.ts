// What If-Match and If-None-Match name, and what only looks like it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { etagOf, isNotModified, matchesEtag, matchesVersion } from '../../src/http/etag.ts';

const tags = suite('a tag');

tags('names the version that it was made of, whatever surrounds that', () => {
  for (const body of ['{}', 'another']) {
    assert.ok(matchesVersion(etagOf(body, 'id.3'), 'id.3'));
    assert.ok(matchesVersion(`"x.1.y", ${etagOf(body, 'id.3')}`, 'id.3'));
  }
  assert.ok(matchesVersion('*', 'id.3'));
});

tags('names no version whose beginning it has, and none with more parts', () => {
  for (const other of [
    '"id.3.digest.more"',
    '"id.3.1.digest"',
    '"id.33.digest"',
    '"id.3"',
    '"xid.3.digest"',
    'W/"id.3.digest"',
    'id.3.digest',
    '',
  ])
    assert.not(matchesVersion(other, 'id.3'), other);
  // That of what has an id alone is no version of what has a generation, too.
  assert.not(matchesVersion(etagOf('{}', 'id.3'), 'id'));
});

tags('names nothing where there is nothing', () => {
  for (const any of ['*', '"id.3.digest"']) assert.not(matchesVersion(any, undefined));
  assert.not(matchesEtag('*', undefined));
});

tags('is compared weakly by If-None-Match, strongly by If-Match', () => {
  assert.ok(isNotModified('W/"a"', '"a"'));
  assert.not(matchesEtag('W/"a"', '"a"'));
  assert.ok(matchesEtag('"b", "a"', '"a"'));
});

tags.run();
