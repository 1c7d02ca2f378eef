// Looks at all that the server shows, and holds it against what the oracle knows.
import type { Shape } from './oracle.ts';
import { type Answer, ask } from './requests.ts';
import type { Scene } from './scene.ts';
import type { World } from './world.ts';

/** Looks at everything, and blames what is wrong. No worker may be at work meanwhile. `when`: for the words. */
export async function verify(scene: Scene, when: string): Promise<void> {
  const { world, oracle } = scene;
  try {
    const found = [...oracle.compare(await seenOn(world)), ...(await doorProblems(scene))];
    for (const problem of found) world.blame(`${when}: ${problem}`);
  } catch (error) {
    world.blame(`${when}: the server cannot be looked at: ${error instanceof Error ? error.message : error}`);
  }
}

/** Everything that a run makes, by its key. */
async function seenOn(world: World): Promise<Map<string, Shape>> {
  const seen = new Map<string, Shape>();
  for (const { username, email, name, suspended } of await listed(world, '/api/v1/users', 'users'))
    if (username !== 'admin') seen.set(`User/${username}`, { email, name, suspended: String(suspended) });
  for (const { name, user } of await listed(world, '/api/v1/admin/tokens', 'tokens'))
    if (user.username !== 'admin') seen.set(`Token/${name}`, { user: user.username });
  for (const { id, slug, name, type, memberCount, instanceCount } of await listed(world, '/api/v1/teams', 'teams')) {
    seen.set(`Team/${slug}`, { name, type: type.name });
    // A team is made with its owner, in one write.
    if (memberCount !== 1) world.blame(`Team/${slug} has ${memberCount} members, and must have its owner`);
    if (instanceCount === 0) continue;
    for (const instance of await listed(world, `/api/v1/teams/${id}/instances`, 'instances'))
      seen.set(`Instance/${instance.name}`, shapeOfInstance(instance));
  }
  seen.set('Tree/edited', await edited(world));
  return seen;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Listed = any;

/** All items of a list, page by page. */
export async function listed(world: World, path: string, plural: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await answered(world, `${path}?limit=1000${cursor}`);
    all.push(...body[plural]);
    if (body.meta.next_cursor === undefined) return all;
    cursor = `&cursor=${encodeURIComponent(body.meta.next_cursor)}`;
  }
}

async function answered(world: World, path: string): Promise<Answer> {
  const answer = await ask(world, 'GET', path);
  if (answer.status !== 200) throw new Error(`GET ${path} was answered by ${answer.status} ${answer.body?.detail}`);
  return answer;
}

function shapeOfInstance({ team, options, environment }: Listed): Shape {
  const named = (list: Listed[], name: string) => String(list.find((one) => one.name === name)?.value);
  return { team: team.slug, title: named(options, 'pageTitle'), level: named(environment, 'LEVEL') };
}

/** What the edited file has become: of both of its documents. */
async function edited(world: World): Promise<Shape> {
  const [stack, template] = [
    await ask(world, 'GET', '/api/v1/stacks/edited'),
    await ask(world, 'GET', '/api/v1/templates/edited'),
  ];
  if (stack.status === 404 && template.status === 404) return undefined;
  return { stack: String(stack.body?.spec?.label), template: String(template.body?.spec?.description) };
}

/** What a token and a session open, or no longer do. */
async function doorProblems({ world, oracle, tokens, revoked, sessions, closed }: Scene): Promise<string[]> {
  const problems: string[] = [];
  const opens = async (what: string, asking: { token: string } | { cookie: string }, wanted: number) => {
    const { status } = await ask(world, 'GET', '/api/v1/user', asking);
    if (status !== wanted) problems.push(`${what} must be answered by ${wanted}, and was by ${status}`);
  };
  for (const [key, token] of tokens)
    if (oracle.sure(key)?.shape !== undefined) await opens(`${key}, which was acknowledged,`, { token }, 200);
  for (const token of revoked) await opens('a token that was deleted', { token }, 401);
  for (const [cookie, username] of sessions) await opens(`a session of ${username}`, { cookie }, 200);
  for (const cookie of closed) await opens('a session that was ended', { cookie }, 401);
  return problems;
}
