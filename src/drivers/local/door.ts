// The door of a runtime: where it answers, and the header by which it knows what came through the gateway, and whose it is.
import { createHmac, type KeyObject } from 'node:crypto';
import { withoutTrailing } from '../../core/model/without-trailing.ts';
import { idSource } from '../../lib/id.ts';
import type { Door, DoorRequest } from '../driver.ts';
import { loopback } from './ports.ts';
import { principalKey } from './principal-key.ts';
import type { Runtime } from './runtimes.ts';

/** The header that each request of the gateway carries. `runtime-settings.cjs` takes it away, with all that begins with `x-weir-`, before anything sees it. */
export const principalHeader = 'x-weir-principal';

/** What the header says of who may not use the editor. */
const nobody = 'none';

/**
 * Which form of the header a runtime knows; it stands in its record. A runtime without it was started by a Weir that sent the token of the administration
 * along with each request.
 */
export const doorForm = 1;

/** The door of a runtime. */
export function doorOf(
  { port, path, editorPath, token }: Pick<Runtime, 'port' | 'path' | 'editorPath' | 'token'>,
  now: () => number = Date.now,
): Door {
  const key = principalKey(token);
  return {
    origin: `http://${loopback}:${port}`,
    path,
    editorPath: withoutTrailing(editorPath, '/'),
    principal: (request) => [principalHeader, request.editor ? proofOf(key, request, request.editor, now()) : nobody],
  };
}

/** Used once, and no secret. */
const newNonce = idSource();

/** What somebody may do, who they are and when, and a proof (HMAC) of that for one method and path. */
function proofOf(
  key: KeyObject,
  { method, path }: DoorRequest,
  { name, mayWrite }: NonNullable<DoorRequest['editor']>,
  now: number,
): string {
  const right = mayWrite ? 'write' : 'read';
  const said = [right, Buffer.from(name).toString('base64url'), now, newNonce()].join('.');
  return `${said}.${createHmac('sha256', key).update([said, method, path].join(' ')).digest('base64url')}`;
}
