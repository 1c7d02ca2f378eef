// The door of a runtime: where it answers, and the header that opens its editor.
import { withoutTrailing } from '../../core/model/without-trailing.ts';
import type { Door } from '../driver.ts';
import { loopback } from './ports.ts';
import type { Runtime } from './runtimes.ts';

/** The header that `runtime-settings.cjs` looks at: what somebody may, their name in base64url, and the token of the administration. */
export const editorHeader = 'x-weir-editor';

/** The door of a runtime. */
export function doorOf({
  port,
  path,
  editorPath,
  token,
}: Pick<Runtime, 'port' | 'path' | 'editorPath' | 'token'>): Door {
  return {
    origin: `http://${loopback}:${port}`,
    path,
    editorPath: withoutTrailing(editorPath, '/'),
    editor: ({ name, mayWrite }) => [
      editorHeader,
      `${mayWrite ? 'write' : 'read'}.${Buffer.from(name).toString('base64url')}.${token}`,
    ],
  };
}
