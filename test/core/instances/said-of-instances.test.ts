// What is said of instances: where they answer, how their files may be called, and since when a condition holds.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { instanceHost, instanceOrigin, instancePath, instanceUrl } from '../../../src/core/instances/address.ts';
import { withCondition, withoutCondition } from '../../../src/core/instances/standing.ts';
import { staticBounds, staticBoundsProblem, staticPathProblem } from '../../../src/core/instances/static-files.ts';

const said = suite('what is said of instances');

said('an instance answers below a path, or at a host name where a domain is declared', () => {
  const place = { baseUrl: 'https://weir.example:8443/tools/', platform: {} };
  assert.is(instancePath(place.baseUrl, '7Kc'), '/tools/i/7Kc');
  assert.is(instanceHost(place.platform, '7Kc'), undefined);
  assert.is(instanceOrigin(place, '7Kc'), undefined);
  assert.is(instanceUrl(place, '7Kc'), 'https://weir.example:8443/tools/i/7Kc/');
  const named = { ...place, platform: { customHostnames: { domain: 'flows.example' } } };
  assert.is(instanceHost(named.platform, '7Kc'), '7kc.flows.example');
  assert.is(instanceOrigin(named, '7Kc'), 'https://7kc.flows.example:8443');
  assert.is(instanceUrl({ ...named, baseUrl: 'http://weir.example' }, '7Kc'), 'http://7kc.flows.example/');
});

said('a file has a path of plain segments', () => {
  for (const path of ['a', 'img/logo.svg', '_a/-b/C9.x', 'a/b/c/d/e/f/g/h', 'x'.repeat(staticBounds.pathLength)])
    assert.is(staticPathProblem(path), undefined, path);
  for (const path of ['', '/a', 'a/', 'a//b', '.a', 'a/..', 'node_modules', 'a/node_modules/b', 'ä', 'a b', 'a\\b'])
    assert.type(staticPathProblem(path), 'string', path);
  assert.match(staticPathProblem('a/b/c/d/e/f/g/h/i') ?? '', /more than 8 levels deep/);
  assert.match(staticPathProblem('x'.repeat(staticBounds.pathLength + 1)) ?? '', /longer than 200/);
});

said('files fit as long as they are not too many or too large, and one takes the place of its own', () => {
  const file = (path: string, size = 1) => ({ path, size, modifiedAt: '2026-01-01T00:00:00.000Z', version: '1' });
  const full = Array.from({ length: staticBounds.files }, (_, at) => file(`f${at}`));
  assert.match(staticBoundsProblem(full, 'new', 1) ?? '', /has 1000 other files/);
  assert.is(staticBoundsProblem(full, 'f0', 1), undefined);
  assert.is(staticBoundsProblem([file('a', staticBounds.allBytes - 1)], 'b', 1), undefined);
  assert.type(staticBoundsProblem([file('a', staticBounds.allBytes - 1)], 'b', 2), 'string');
});

said('a condition keeps the time of its own last change of status', () => {
  const [first, later] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  const one = { type: 'FlowsStopped', status: 'True', reason: 'X', message: 'x' } as const;
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Running',
    message: 'it runs',
    lastTransitionTime: first,
  } as const;
  const known = [ready, { ...one, lastTransitionTime: first }];
  const times = (list: readonly { readonly type: string; readonly lastTransitionTime: string }[]) =>
    list.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]);
  assert.equal(times(withCondition(known, { ...one, reason: 'Y' }, later)), [
    ['FlowsStopped', first],
    ['Ready', first],
  ]);
  assert.equal(times(withCondition(known, { ...one, status: 'False' }, later)), [
    ['FlowsStopped', later],
    ['Ready', first],
  ]);
  assert.equal(times(withCondition([ready], one, later)), [
    ['FlowsStopped', later],
    ['Ready', first],
  ]);
  assert.equal(withoutCondition(known, 'FlowsStopped'), [ready]);
});

said.run();
