// Warnings: what is allowed, but will not do what it says. They look at a whole state, and refuse nothing.
import { effectiveFeature, featureNames } from '../kinds/features.ts';
import type { Finding } from '../model/finding.ts';
import { singleton, type View } from '../model/view.ts';
import { type Facts, providedIn } from './facts.ts';
import { formerNames } from './former-names-advice.ts';
import { secretsOf } from './secrets-of.ts';
import { ssoCertificateEnds, ssoPlainHttp, ssoPlainLdap } from './sso-advice.ts';
import { type Advice, adviceFor, warning } from './warning.ts';

const driverUnavailable = adviceFor('Platform', {
  id: 'driver-unavailable',
  warns: 'a driver that this build of Weir does not have: instances cannot be started',
  *advise(platform, _view, facts) {
    const { kind } = platform.spec.driver;
    if (facts.drivers.has(kind)) return;
    const have = [...facts.drivers.keys()].join(', ');
    const what = `instances cannot be started, because this build of Weir has no driver "${kind}" (it has ${have})`;
    yield warning('driver-unavailable', platform, '/spec/driver/kind', what);
  },
});

const featureWithoutEffect = adviceFor('TeamType', {
  id: 'feature-without-effect',
  warns: 'a feature that is switched on but has no effect',
  *advise(type, view, facts) {
    const platform = singleton(view, 'Platform').spec;
    const provided = providedIn(view, facts);
    for (const feature of featureNames) {
      if (!type.spec.features[feature]) continue;
      const { effective, message } = effectiveFeature(feature, type.spec.features, platform, provided);
      if (effective) continue;
      const what = `${feature} is on but has no effect, because ${message ?? 'it is not provided'}`;
      yield warning('feature-without-effect', type, `/spec/features/${feature}`, what);
    }
  },
});

const missingStack = adviceFor('Stack', {
  id: 'stack-runtime',
  warns: 'a stack whose directory is not there',
  *advise(stack, view, facts) {
    const { kind, stacksDirectory } = singleton(view, 'Platform').spec.driver;
    const { active, runtime } = stack.spec;
    if (kind !== 'local' || !active) return;
    const missing = facts.stackMissing?.(stacksDirectory, runtime);
    if (missing === undefined) return;
    const isVersion = /^\d+\.\d+\.\d+$/.test(runtime);
    const how = isVersion
      ? `"weir stacks install ${runtime}${facts.storeFlag ?? ''}" puts it there`
      : 'put the runtime there';
    const what = `instances on it cannot start, because there is no directory ${missing}: ${how}`;
    yield warning('stack-runtime', stack, '/spec/runtime', what);
  },
});

const secretMissing: Advice = {
  id: 'secret-missing',
  warns: 'a secret that cannot be resolved',
  kinds: ['Platform', 'Template', 'SsoConfig'],
  *advise(resource, _view, facts) {
    if (!facts.secretProblem) return;
    for (const { path, secret } of secretsOf(resource)) {
      const problem = facts.secretProblem(secret);
      if (problem !== undefined)
        yield warning('secret-missing', resource, path, `does not work fully, because ${problem}`);
    }
  },
};

/** Every piece of advice. */
export const advice: readonly Advice[] = [
  driverUnavailable,
  featureWithoutEffect,
  missingStack,
  secretMissing,
  ssoCertificateEnds,
  ssoPlainHttp,
  ssoPlainLdap,
  formerNames,
];

/** All warnings about a state, in steps. */
export function* adviseSteps(view: View, facts: Facts): Generator<readonly Finding[], void, void> {
  let steps = 0;
  for (const { kinds, advise } of advice)
    for (const kind of kinds)
      for (const resource of view.all(kind)) {
        const found = [...advise(resource, view, facts)];
        if (found.length > 0 || ++steps % 32 === 0) yield found;
      }
}
