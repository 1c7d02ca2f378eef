// The real yaml-language-server over stdio, as an editor drives it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A place in a text, from 0, as the protocol counts. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

export interface Completion {
  readonly label: string;
  readonly documentation?: unknown;
}

/** What a test asks of an editor: a document's text comes in, what the user would see goes out. */
export interface Editor {
  open(uri: string, text: string): Promise<readonly Diagnostic[]>;
  complete(uri: string, position: Position): Promise<readonly Completion[]>;
  hover(uri: string, position: Position): Promise<string>;
  close(): Promise<void>;
}

const binary = fileURLToPath(
  new URL('../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url),
);
const settings = {
  yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: false } },
  http: {},
  editor: {},
  files: {},
};

/** Starts the language server; it ends with `close`. */
export async function startEditor(): Promise<Editor> {
  const child = spawn(process.execPath, [binary, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const connection = connect(child);
  await connection.request('initialize', { processId: process.pid, rootUri: null, capabilities });
  connection.notify('initialized', {});
  connection.notify('workspace/didChangeConfiguration', { settings });
  return {
    open: async (uri, text) => {
      const shown = connection.diagnosticsOf(uri);
      connection.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } });
      return shown;
    },
    complete: async (uri, position) => {
      const answer = await connection.request('textDocument/completion', { textDocument: { uri }, position });
      return (answer as { items: Completion[] }).items;
    },
    hover: async (uri, position) => {
      const answer = await connection.request('textDocument/hover', { textDocument: { uri }, position });
      return (answer as { contents: { value: string } } | null)?.contents.value ?? '';
    },
    close: async () => {
      await connection.request('shutdown', null);
      connection.notify('exit', null);
      await once(child, 'exit');
    },
  };
}

const capabilities = {
  textDocument: {
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown'] } },
    hover: { contentFormat: ['markdown'] },
  },
  workspace: { configuration: true },
};

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

function connect(child: ChildProcess) {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const shown = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  let last = 0;
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  readMessages(child, (message) => {
    if (message.method === undefined) return settle(message);
    if (message.id !== undefined) return send({ id: message.id, result: answerTo(message) });
    if (message.method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = message.params as { uri: string; diagnostics: Diagnostic[] };
      shown.get(uri)?.(diagnostics);
    }
  });
  function settle({ id, result, error }: Message) {
    const request = waiting.get(id ?? -1);
    waiting.delete(id ?? -1);
    if (error) request?.reject(new Error(error.message));
    else request?.resolve(result);
  }
  return {
    notify: (method: string, params: unknown) => send({ method, params }),
    request: (method: string, params: unknown) =>
      new Promise<unknown>((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        send({ id: last, method, params });
      }),
    diagnosticsOf: (uri: string) =>
      new Promise<readonly Diagnostic[]>((resolve) => {
        shown.set(uri, resolve);
      }),
  };
}

function answerTo({ method, params }: Message): unknown {
  if (method !== 'workspace/configuration') return null;
  const { items } = params as { items: { section: keyof typeof settings }[] };
  return items.map(({ section }) => settings[section] ?? {});
}

function readMessages(child: ChildProcess, take: (message: Message) => void): void {
  let rest = Buffer.alloc(0);
  child.stdout?.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = rest.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(rest.toString('latin1', 0, head))?.[1]);
      if (rest.length < head + 4 + length) return;
      take(JSON.parse(rest.toString('utf8', head + 4, head + 4 + length)) as Message);
      rest = rest.subarray(head + 4 + length);
    }
  });
}
