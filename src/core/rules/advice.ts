// Warnings: what is allowed, but will not do what it says. They look at a whole state, and refuse nothing.
import { effectiveFeatures, featureNames } from '../kinds/features.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import type { Facts } from './facts.ts';
import { secretsOf } from './secrets-of.ts';

/** One piece of advice; its findings are warnings. */
export interface Advice {
  readonly id: string;
  readonly warns: string;
  readonly advise: (view: View, facts: Facts) => Iterable<Finding>;
}

const driverUnavailable: Advice = {
  id: 'driver-unavailable',
  warns: 'a driver that this build of Weir does not have: instances cannot be started',
  *advise(view, facts) {
    const platform = singleton(view, 'Platform');
    const { kind } = platform.spec.driver;
    if (facts.drivers.has(kind)) return;
    const have = [...facts.drivers.keys()].join(', ');
    yield warning(
      'driver-unavailable',
      platform,
      '/spec/driver/kind',
      `instances cannot be started, because this build of Weir has no driver "${kind}" (it has ${have})`,
    );
  },
};

const featureWithoutEffect: Advice = {
  id: 'feature-without-effect',
  warns: 'a feature that is switched on but has no effect',
  *advise(view, facts) {
    const platform = singleton(view, 'Platform').spec;
    const provided = facts.drivers.get(platform.driver.kind)?.provides ?? new Set();
    for (const type of view.all('TeamType')) {
      const effective = effectiveFeatures(type.spec.features, platform, provided);
      for (const feature of featureNames) {
        const { declared, effective: acts, message } = effective[feature];
        if (declared && !acts)
          yield warning(
            'feature-without-effect',
            type,
            `/spec/features/${feature}`,
            `${feature} is on but has no effect, because ${message ?? 'it is not provided'}`,
          );
      }
    }
  },
};

const missingStack: Advice = {
  id: 'stack-runtime',
  warns: 'a stack whose directory is not there',
  *advise(view, facts) {
    const { driver } = singleton(view, 'Platform').spec;
    if (driver.kind !== 'local' || !facts.stackInstalled) return;
    for (const stack of view.all('Stack'))
      if (stack.spec.active && !facts.stackInstalled(driver.stacksDirectory, stack.spec.runtime))
        yield warning(
          'stack-runtime',
          stack,
          '/spec/runtime',
          `instances on it cannot start, because the stacks directory "${driver.stacksDirectory}" has no "${stack.spec.runtime}"`,
        );
  },
};

const secretMissing: Advice = {
  id: 'secret-missing',
  warns: 'a secret that cannot be resolved',
  *advise(view, facts) {
    if (!facts.secretProblem) return;
    for (const kind of ['Platform', 'Template', 'SsoConfig'] as const)
      for (const resource of view.all(kind))
        for (const { path, secret } of secretsOf(resource)) {
          const problem = facts.secretProblem(secret);
          if (problem !== undefined)
            yield warning('secret-missing', resource, path, `does not work fully, because ${problem}`);
        }
  },
};

/** Every piece of advice. */
export const advice: readonly Advice[] = [driverUnavailable, featureWithoutEffect, missingStack, secretMissing];

/** All warnings about a state, one piece of advice at a time. */
export function* adviseSteps(view: View, facts: Facts): Generator<readonly Finding[], void, void> {
  for (const piece of advice) yield [...piece.advise(view, facts)];
}

function warning(rule: string, resource: Resource, path: string, what: string): Finding {
  const message = `${addressOf(resource)}: ${what}`;
  return { rule, severity: 'warning', message, kind: resource.kind, name: resource.name, path };
}
