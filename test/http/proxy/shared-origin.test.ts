// What keeps pages of an instance to their own path, whichever name of the host the browser used.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPolicies, leadsAstray, sharedPolicy } from '../../../src/http/proxy/shared-origin.ts';

const place = { host: 'other.example:8443', baseUrl: 'https://weir.example', path: '/i/A/', catalogues: [] };

const shared = suite('pages below a path');

shared(
  'may ask their own path, by the name that the browser used and by that of the base URL, and nothing else',
  () => {
    const hosts = ['other.example:8443', 'weir.example'];
    const own = hosts.flatMap((host) => ['http', 'ws', 'https', 'wss'].map((scheme) => `${scheme}://${host}/i/A/`));
    assert.is(sharedPolicy(place), `connect-src ${own.join(' ')} data: blob:`);
  },
);

shared('get the policy of their own host, path and catalogues, also where it is kept for the next', () => {
  const policyAt = createPolicies(place.baseUrl);
  const places = [
    place,
    { ...place, host: 'third.example' },
    { ...place, path: '/i/B/' },
    { ...place, catalogues: ['https://catalogue.example'] },
    place,
  ];
  for (const one of [...places, ...places]) assert.is(policyAt(one), sharedPolicy({ ...place, ...one }));
});

shared('are led nowhere else by redirects, by neither name', () => {
  for (const host of ['other.example:8443', 'weir.example', 'OTHER.example:8443'])
    for (const [path, isAstray] of [
      ['/i/A/x', false],
      ['/i/A', false],
      ['/i/B/', true],
      ['/api/v1/user', true],
    ] as const)
      assert.is(leadsAstray(`https://${host}${path}`, place), isAstray, `${host}${path}`);
  assert.not(leadsAstray('https://elsewhere.example/api', place));
});

shared.run();
