// price-needs-billing: an instance type has a price only where billing is enabled (specification 2.4).
import { singleton } from '../model/view.ts';
import { type Rule, violation } from './rule.ts';
import { judgedByPlatform } from './touches.ts';

export const priceNeedsBilling: Rule = {
  id: 'price-needs-billing',
  refuses: 'a price while billing is off',
  *check(batch) {
    if (singleton(batch.after, 'Platform').spec.billing.enabled) return;
    for (const type of judgedByPlatform(batch, 'InstanceType', '/spec/billing'))
      if (type.spec.price)
        yield violation(
          'price-needs-billing',
          type,
          '/spec/price',
          'cannot have a price, because Platform/platform has "billing.enabled: false"',
        );
  },
};
