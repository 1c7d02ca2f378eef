// Talks to a real runtime as Weir may: with its own token, and as anybody may call its flows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';

/** A runtime of an instance below a store. */
export interface RuntimeAdmin {
  /** Asks its administration. */
  admin(path: string, init?: RequestInit): Promise<Response>;
  /** Makes a flow its flow. */
  deploy(flows: readonly object[]): Promise<void>;
  /** The files of the core nodes that it has loaded. */
  nodes(): Promise<string[]>;
}

/** The administration of a runtime that runs now, in the folder of instances: at its own port, because its token opens nothing through the gateway. */
export function runtimeAdmin(instances: string, id: string, url: string, editorPath = '/'): RuntimeAdmin {
  const token = readFileSync(join(instances, id, 'admin-token'), 'utf8').trim();
  const { port } = JSON.parse(readFileSync(join(instances, id, 'run.json'), 'utf8'));
  const place = new URL(new URL(url).pathname, `http://127.0.0.1:${port}`);
  const admin = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, new URL(editorPath.replace(/^\//, ''), place)), {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
  return {
    admin,
    deploy: async (flows) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await admin('flows', { method: 'POST', headers, body: JSON.stringify(flows) });
      assert.is(answer.status, 204, await answer.text());
    },
    nodes: async () => {
      const answer = await admin('nodes', { headers: { accept: 'application/json' } });
      const sets: { readonly name: string; readonly err?: unknown }[] = JSON.parse(await answer.text());
      return sets.map(({ name }) => name).sort();
    },
  };
}

/** A flow that answers GET /hello with a text and the variable SITE. */
export function helloFlow(text: string): readonly object[] {
  const at = { z: 'tab' };
  return [
    { id: 'tab', type: 'tab', label: 'hello' },
    { id: 'in', type: 'http in', ...at, url: '/hello', method: 'get', wires: [['make']] },
    {
      id: 'make',
      type: 'function',
      ...at,
      func: `msg.payload = ${JSON.stringify(text)} + ' ' + env.get('SITE'); return msg;`,
      outputs: 1,
      wires: [['out']],
    },
    { id: 'out', type: 'http response', ...at, wires: [] },
  ];
}
