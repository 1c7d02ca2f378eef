// default-stack: an instance type has a default stack among its stacks, named or the only one (specification 2.4).
import { isRead, type Rule, some, violation, written } from './rule.ts';

export const defaultStack: Rule = {
  id: 'default-stack',
  refuses: 'a default stack that is not among the type’s stacks; several stacks and no default',
  perChange: true,
  *check(batch) {
    for (const { after } of written(batch, 'InstanceType')) {
      if (!isRead(batch, after, '/spec/stacks') || !isRead(batch, after, '/spec/defaultStack')) continue;
      const { stacks, defaultStack: chosen } = after.spec;
      const names = some(stacks, stacks.length, 10);
      // A stack that does not exist at all is told once, as a reference to nothing.
      if (chosen !== undefined && !stacks.includes(chosen) && batch.after.named('Stack', chosen)) {
        const what = `defaultStack cannot be ${chosen}, because it is not among its stacks (${names || 'it has none'})`;
        yield violation('default-stack', after, '/spec/defaultStack', what);
      }
      if (chosen === undefined && stacks.length > 1) {
        const what = `defaultStack cannot be left out, because there are several stacks: name one of ${names}`;
        yield violation('default-stack', after, '/spec/stacks', what);
      }
    }
  },
};
