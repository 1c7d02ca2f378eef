// How long the way in waits for runtimes.

/** Milliseconds. */
export interface Patience {
  /** How long a runtime may take to begin its answer. */
  readonly headMs: number;
  /** The same where somebody installs modules by the editor, and where they deploy flows. */
  readonly installMs: number;
  readonly deployMs: number;
  /** How long it may be silent within its answer. */
  readonly bodyMs: number;
  /** How long a connection that was upgraded may be silent. */
  readonly tunnelMs: number;
  /** How long requests that are under way may take when the server closes. */
  readonly closeMs: number;
  /** How often it is looked whether who holds an open connection still may. */
  readonly lookMs: number;
}

export const usualPatience: Patience = {
  headMs: 60_000,
  installMs: 600_000,
  deployMs: 300_000,
  bodyMs: 150_000,
  tunnelMs: 600_000,
  closeMs: 2500,
  lookMs: 5000,
};

/**
 * How long a runtime may take to begin its answer to a request, where that is longer than usual: what somebody who may edit asks of the editor's API
 * (https://nodered.org/docs/api/admin/), and nothing else.
 */
export function longHeadMs(
  { installMs, deployMs }: Pick<Patience, 'installMs' | 'deployMs'>,
  { method, path, editorPath, mayEdit }: EditorRequest,
): number | undefined {
  if (!mayEdit || (method !== 'POST' && method !== 'PUT' && method !== 'DELETE')) return undefined;
  if (!path.startsWith(`${editorPath}/`)) return undefined;
  const [area] = path.slice(editorPath.length + 1).split(/[/?]/, 1);
  if (area === 'nodes') return installMs;
  return area === 'flows' || area === 'flow' ? deployMs : undefined;
}

/** A request, as far as that matters. `path` is that of the runtime, `editorPath` without a slash at the end. */
interface EditorRequest {
  readonly method: string | undefined;
  readonly path: string;
  readonly editorPath: string;
  readonly mayEdit: boolean;
}
