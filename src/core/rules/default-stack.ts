// default-stack: an instance type has a default stack among its stacks, named or the only one (specification 2.4).
import { type Rule, violation, written } from './rule.ts';

export const defaultStack: Rule = {
  id: 'default-stack',
  refuses: 'a default stack that is not among the type’s stacks; several stacks and no default',
  *check(batch) {
    for (const { after } of written(batch, 'InstanceType')) {
      const { stacks, defaultStack: chosen } = after.spec;
      if (chosen !== undefined && !stacks.includes(chosen))
        yield violation(
          'default-stack',
          after,
          '/spec/defaultStack',
          `defaultStack cannot be ${chosen}, because it is not among its stacks (${stacks.join(', ') || 'it has none'})`,
        );
      if (chosen === undefined && stacks.length > 1)
        yield violation(
          'default-stack',
          after,
          '/spec/stacks',
          `defaultStack cannot be left out, because there are several stacks: name one of ${stacks.join(', ')}`,
        );
    }
  },
};
