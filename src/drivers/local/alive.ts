// Asks a runtime whether it works. It has to prove that it is the one that was started, and not another program on its port.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { get } from 'node:http';
import { loopback } from './ports.ts';
import { sha256 } from './settings.ts';

/** Where a runtime answers, and what it proves itself with. */
export interface Asked {
  readonly port: number;
  readonly editorPath: string;
  readonly token: string;
}

/** Whether it answers, and how its flows are; nothing where it does not, or is another. */
export function askAlive({ port, editorPath, token }: Asked, timeoutMs: number): Promise<string | undefined> {
  const challenge = randomBytes(16).toString('hex');
  const path = `${editorPath.replace(/\/+$/, '')}/.alive/${challenge}`;
  return new Promise((resolve) => {
    const request = get({ host: loopback, port, path, timeout: timeoutMs, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.length > mostAnswer) request.destroy();
      });
      response.once('end', () => resolve(flowsIn(text, challenge, token)));
      response.once('close', () => resolve(undefined));
    });
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

function flowsIn(text: string, challenge: string, token: string): string | undefined {
  try {
    const { proof, flows } = JSON.parse(text);
    const wanted = createHmac('sha256', sha256(token)).update(challenge).digest();
    const given = Buffer.from(String(proof), 'hex');
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? String(flows) : undefined;
  } catch {
    return undefined;
  }
}
