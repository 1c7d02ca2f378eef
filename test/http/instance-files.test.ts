// timeout: 300
// The static files of instances, over the API.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { staticBounds } from '../../src/core/instances/static-files.ts';
import { kinds } from '../../src/core/kinds/index.ts';
import { created, deleted, updated } from '../../src/core/model/change.ts';
import { stubDriver } from '../../src/drivers/stub.ts';
import { newId } from '../../src/lib/id.ts';
import { NotKept } from '../../src/store/store.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

const url = '/api/v1/instances/line/files';
const base64 = (text: string) => ({ content: Buffer.from(text).toString('base64') });

async function worldWith(feature = 'staticAssets') {
  const types = (tree['types.yaml'] ?? '').replace('teamLibrary: true', `${feature}: true`);
  const drivers = new Map([['local', { provides: new Set(['staticAssets', 'teamLibrary'] as const) }]]);
  const { files } = stubDriver();
  const world = await startWorld({ ...tree, 'types.yaml': types }, { drivers, instanceFiles: files });
  const made = { team: 'core', instanceType: 'small', template: 'standard', stack: 'nr-4' };
  const spec = kinds.Instance.spec.parse({ ...made, state: 'stopped', desired: 'stopped' });
  const times = { generation: 1, createdAt: start, updatedAt: start };
  const line = { kind: 'Instance', id: 'line', name: 'Line', spec, ...times } as const;
  await world.store.commit(() => ({ changes: [created(line)] }), { id: newId() });
  return { ...world, files };
}

const events = async ({ store }: ServerWorld) =>
  (await store.records({ stream: 'audit', limit: 100 })).map(({ body }) => body['event']);

const over = suite('static files over the API');

over('are not written where the instance is being deleted, also where that began after the request', async () => {
  const world = await worldWith();
  try {
    const { put } = world.files;
    Object.assign(world.files, {
      put: async (...[id, path, content, check]: Parameters<typeof put>) => {
        const line = world.store.read().get('Instance', 'line');
        if (!line) throw new Error('it is gone');
        const after = { ...line, spec: { ...line.spec, state: 'deleting' as const } };
        await world.store.commit(() => ({ changes: [updated(line, after)] }), { id: newId() });
        return put(id, path, content, check);
      },
    });
    const { status, body } = await world.ask('PUT', `${url}/late.txt`, { body: base64('x') });
    assert.is(status, 409, JSON.stringify(body));
    assert.match(body.detail, /because the instance Line is being deleted/);
    assert.equal(await world.files.list('line'), []);
  } finally {
    await world.close();
  }
});

over('are neither written nor deleted by who lost the right just before', async () => {
  const world = await worldWith();
  try {
    const { put, remove } = world.files;
    assert.is((await world.ask('PUT', `${url}/kept.txt`, { as: 'member', body: base64('x') })).status, 200);
    const lose = async () => {
      const max = [...world.store.read().all('Membership')].find(({ spec }) => spec.user === 'max');
      if (max) await world.store.commit(() => ({ changes: [deleted(max)] }), { id: newId() });
    };
    // The driver takes its time, and asks once more what it may do.
    Object.assign(world.files, {
      put: async (...args: Parameters<typeof put>) => lose().then(() => put(...args)),
      remove: async (...args: Parameters<typeof remove>) => lose().then(() => remove(...args)),
    });
    const written = await world.ask('PUT', `${url}/late.txt`, { as: 'member', body: base64('x') });
    assert.is(written.status, 404, written.text);
    await world.ask('PUT', '/api/v1/teams/core/members/max', { body: { role: 'member' } });
    const removed = await world.ask('DELETE', `${url}/kept.txt`, { as: 'member' });
    assert.is(removed.status, 404, removed.text);
    assert.equal(
      (await world.files.list('line')).map(({ path }) => path),
      ['kept.txt'],
    );
  } finally {
    await world.close();
  }
});

over('are written, listed and deleted by members, each told by the audit log', async () => {
  const world = await worldWith();
  try {
    const path = `${url}/img%2Flogo.svg`;
    const put = await world.ask('PUT', path, { as: 'member', body: base64('<svg/>') });
    assert.equal([put.status, put.body.path, put.body.size], [200, 'img/logo.svg', 6], put.text);
    const listed = await world.ask('GET', url, { as: 'viewer' });
    assert.equal([listed.body.count, listed.body.files], [1, [put.body]]);
    const stale = { 'if-match': '"other.1"' };
    assert.is((await world.ask('PUT', path, { body: base64('x'), headers: stale })).status, 412);
    const known = { 'if-match': put.body.etag };
    assert.is((await world.ask('PUT', path, { body: base64('<svg >'), headers: known })).status, 200);
    assert.is((await world.ask('DELETE', path, { headers: known })).status, 412, 'it is another now');
    assert.is((await world.ask('DELETE', path, { as: 'owner' })).status, 204);
    assert.is((await world.ask('DELETE', path, { as: 'owner' })).status, 404);
    const told = (await events(world)).filter((event) => String(event).startsWith('instance-file'));
    assert.equal(told.sort(), ['instance-file.deleted', 'instance-file.written', 'instance-file.written']);
  } finally {
    await world.close();
  }
});

over('are not touched where the audit log cannot tell it, and it tells what failed', async () => {
  const world = await worldWith();
  const { commit } = world.store;
  try {
    const path = `${url}/a.txt`;
    const kept = base64('kept');
    assert.is((await world.ask('PUT', path, { body: kept })).status, 200);
    Object.assign(world.store, { commit: () => Promise.reject(new NotKept('the disk is full')) });
    for (const [method, body] of [['PUT', base64('lost')], ['DELETE']] as const) {
      const answer = await world.ask(method, path, body ? { body } : {});
      assert.is(answer.status, 503);
      assert.match(answer.body.detail, /nothing was changed/i);
    }
    Object.assign(world.store, { commit });
    const [only, ...more] = await world.files.list('line');
    assert.equal([only?.path, only?.size, more], ['a.txt', 4, []]);
    const failing = () => Promise.reject(new Error('the disk of instances is full'));
    Object.assign(world.files, { put: failing, remove: failing });
    assert.is((await world.ask('PUT', path, { body: base64('x') })).status, 500);
    assert.is((await world.ask('DELETE', path)).status, 500);
    const told = (await events(world)).filter((event) => String(event).startsWith('instance-file')).toReversed();
    const [written, ...failed] = told.map((event) => String(event).replace('instance-file.', ''));
    assert.equal([written, failed], ['written', ['written', 'not-written', 'deleted', 'not-deleted']]);
  } finally {
    Object.assign(world.store, { commit });
    await world.close();
  }
});

over('are not written for whom the right was taken while the body was on its way', async () => {
  const world = await worldWith();
  try {
    const { put } = world.files;
    const late = async (...given: Parameters<typeof put>) => {
      const max = world.store.read().get('Membership', 'core-max');
      if (max) await world.store.commit(() => ({ changes: [deleted(max)] }), { id: newId() });
      return put(...given);
    };
    Object.assign(world.files, { put: late });
    assert.is((await world.ask('PUT', `${url}/a.txt`, { as: 'member', body: base64('x') })).status, 404);
    assert.equal(await world.files.list('line'), []);
    const told = (await events(world)).filter((event) => String(event).startsWith('instance-file')).toReversed();
    assert.equal(told, ['instance-file.written', 'instance-file.not-written']);
  } finally {
    await world.close();
  }
});

over('are written by nobody else', async () => {
  const world = await worldWith();
  try {
    for (const [as, status] of [
      ['viewer', 403],
      ['dashboard', 403],
      ['otherOwner', 404],
      ['none', 401],
    ] as const)
      for (const method of ['PUT', 'DELETE'] as const)
        assert.is(
          (await world.ask(method, `${url}/x`, { as, ...(method === 'PUT' ? { body: base64('x') } : {}) })).status,
          status,
          as,
        );
    assert.equal(await world.files.list('line'), []);
  } finally {
    await world.close();
  }
});

over('are refused where a path leads elsewhere, says why, and where the content is none', async () => {
  const world = await worldWith();
  try {
    for (const [path, why] of [
      ['..%2Fx', /begins with a dot/],
      ['a%2F..%2F..%2Fx', /begins with a dot/],
      ['.hidden', /begins with a dot/],
      ['%2Fetc%2Fpasswd', /slash/],
      ['a%2F%2Fb', /slash/],
      ['a%5Cb', /something else/],
      ['a%00b', /something else/],
      ['%C3%A4', /something else/],
      ['node_modules%2Fx', /packages/],
      ['1%2F2%2F3%2F4%2F5%2F6%2F7%2F8%2F9', /levels/],
      ['x'.repeat(201), /200 characters/],
    ] as const)
      for (const method of ['PUT', 'DELETE'] as const) {
        const body = method === 'PUT' ? { body: base64('x') } : {};
        const { status, body: problem, text } = await world.ask(method, `${url}/${path}`, body);
        assert.equal([status, problem.code], [400, 'invalid_request'], `${path}: ${text}`);
        assert.match(problem.detail, why);
      }
    for (const content of ['a', '====', 'not base64', 'PHN2Zy8-'])
      assert.is((await world.ask('PUT', `${url}/x`, { body: { content } })).status, 400, content);
    const most = 'x'.repeat(staticBounds.fileBytes);
    assert.is((await world.ask('PUT', `${url}/most`, { body: base64(most) })).status, 200);
    assert.is((await world.ask('PUT', `${url}/more`, { body: base64(`${most}x`) })).status, 400);
    assert.is((await world.ask('PUT', `${url}/more`, { body: base64(most + most) })).status, 413);
  } finally {
    await world.close();
  }
});

over('are bounded in number and sum, also for a dry run, which writes nothing', async () => {
  const world = await worldWith();
  try {
    const dry = await world.ask('PUT', `${url}/x?dryRun=true`, { body: base64('x') });
    assert.equal([dry.status, dry.body.summary.update, await world.files.list('line')], [200, 0, []]);
    for (let nth = 0; nth < staticBounds.files; nth += 1)
      await world.files.put('line', `f${nth}`, Buffer.from('x'), () => {});
    for (const query of ['', '?dryRun=true']) {
      const refused = await world.ask('PUT', `${url}/one-more${query}`, { body: base64('x') });
      assert.equal([refused.status, refused.body.code], [409, 'conflict']);
      assert.match(refused.body.detail, /1000 is the most/);
    }
    assert.is((await world.ask('PUT', `${url}/f7`, { body: base64('another') })).status, 200, 'in place of one');
  } finally {
    await world.close();
  }
});

over('need the feature', async () => {
  const world = await worldWith('teamLibrary');
  try {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const at = method === 'GET' ? url : `${url}/x`;
      const { status, body } = await world.ask(method, at, method === 'PUT' ? { body: base64('x') } : {});
      assert.equal([status, body.violations?.[0]?.rule], [409, 'feature-required'], method);
    }
  } finally {
    await world.close();
  }
});

over.run();
