// Asks a runtime whether it works. It has to prove that it is the one that was started, and not another program on its port.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { get } from 'node:http';
import { withoutTrailing } from '../../core/model/without-trailing.ts';
import { loopback } from './ports.ts';
import { sha256 } from './settings.ts';

/** Where a runtime answers, and what it proves itself with. */
export interface Asked {
  readonly port: number;
  readonly editorPath: string;
  readonly token: string;
}

/** What it says: how its flows are, and how much of its heap is in use. A runtime that an older Weir started does not tell the latter. */
export interface Alive {
  readonly flows: string;
  readonly heapBytes?: number;
}

/** Whether it answers, and what; nothing where it does not, or is another. */
export function askAlive(
  { port, editorPath, token }: Asked,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Alive | undefined> {
  const challenge = randomBytes(16).toString('hex');
  const path = `${withoutTrailing(editorPath, '/')}/.alive/${challenge}`;
  return new Promise((resolve) => {
    const request = get(
      { host: loopback, port, path, timeout: timeoutMs, agent: false, ...(signal ? { signal } : {}) },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          if (text.length > mostAnswer) request.destroy();
        });
        response.once('end', () => resolve(aliveIn(text, challenge, token)));
        response.once('close', () => resolve(undefined));
      },
    );
    const over = setTimeout(() => request.destroy(), timeoutMs);
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
    request.once('close', () => {
      clearTimeout(over);
      resolve(undefined);
    });
  });
}

const mostAnswer = 4096;

function aliveIn(text: string, challenge: string, token: string): Alive | undefined {
  try {
    const { proof, flows, heapBytes } = JSON.parse(text);
    const wanted = createHmac('sha256', sha256(token)).update(challenge).digest();
    const given = Buffer.from(String(proof), 'hex');
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
    return { flows: String(flows), ...(Number.isSafeInteger(heapBytes) ? { heapBytes } : {}) };
  } catch {
    return undefined;
  }
}
