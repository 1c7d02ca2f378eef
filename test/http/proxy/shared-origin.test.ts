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

shared('have no more than a thousand policies kept, because hosts are what clients say', () => {
  const policyAt = createPolicies(place.baseUrl);
  let made = 0;
  const at = (host: string) => ({
    ...{ host, path: place.path },
    // Gone through where a policy is made, and only there.
    catalogues: new Proxy([], {
      get: (list, key) => {
        if (key === Symbol.iterator) made += 1;
        return Reflect.get(list, key);
      },
    }),
  });
  const first = at('first.example');
  policyAt(first);
  policyAt(first);
  assert.is(made, 1, 'kept');
  for (let more = 0; more < 1000; more += 1) policyAt(at(`${more}.example`));
  made = 0;
  policyAt(first);
  assert.is(made, 1, 'made anew');
});

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
