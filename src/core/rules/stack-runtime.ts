// stack-runtime: with the local driver, a stack's runtime is the name of one directory in the stacks directory (specification 2.5).
import { quoted } from '../model/printable.ts';
import { singleton } from '../model/view.ts';
import { type Rule, violation } from './rule.ts';
import { judgedByPlatform } from './touches.ts';

export const stackRuntime: Rule = {
  id: 'stack-runtime',
  refuses: 'a runtime that is not one plain path segment, while the driver is the local one',
  *check(batch) {
    if (singleton(batch.after, 'Platform').spec.driver.kind !== 'local') return;
    for (const stack of judgedByPlatform(batch, 'Stack', '/spec/driver'))
      if (!isPlainSegment(stack.spec.runtime))
        yield violation('stack-runtime', stack, '/spec/runtime', because(stack.spec.runtime));
  },
};

/** Whether a text is one directory name that means the same on every file system: no separators, dots alone, or control characters. */
export function isPlainSegment(text: string): boolean {
  return /^[A-Za-z0-9_@+~.-]{1,255}$/.test(text) && !/^\.+$/.test(text) && !text.startsWith('-');
}

function because(runtime: string): string {
  return `runtime cannot be ${quoted(runtime)}, because the local driver takes it as one directory name in the stacks directory: write a name such as "4.1.15"`;
}
