// The effective settings of an instance: its template, what it overrides, and the stack that it runs.

import type { SpecOf } from '../kinds/index.ts';
import type { StartedWith } from '../kinds/instance.ts';
import { keysOf } from '../kinds/kind.ts';
import { type OptionName, optionValues } from '../kinds/template-options.ts';
import { sameValue } from '../model/leaves.ts';

/** Who says so: the template, the instance, or nobody, so that the runtime does what it does by itself. */
export type SettingOrigin = 'template' | 'instance' | 'default';

/** One option as it acts; `value` is absent where nobody gives one. A secret stands here as it is kept. */
export interface EffectiveOption {
  readonly name: OptionName;
  readonly value?: unknown;
  readonly origin: SettingOrigin;
  readonly locked: boolean;
}

/** One variable as it acts. */
export interface EffectiveVariable {
  readonly name: string;
  readonly value: string;
  readonly origin: 'template' | 'instance';
  readonly locked: boolean;
}

/** What an instance says for itself. */
export type Overrides = Pick<SpecOf<'Instance'>, 'options' | 'environment'>;

/** What a template gives; nothing where there is none. */
export type Defaults = Pick<SpecOf<'Template'>, 'options' | 'environment'> | undefined;

/** Every option, in the order in which they are described. What the template locks is the template's, whatever the instance has. */
export function effectiveOptions(template: Defaults, { options = {} }: Overrides): EffectiveOption[] {
  return keysOf(optionValues).map((name) => {
    const given = template?.options[name];
    const own = options[name];
    const locked = given?.locked ?? false;
    if (own !== undefined && !locked) return { name, value: own, origin: 'instance', locked };
    if (given?.value !== undefined) return { name, value: given.value, origin: 'template', locked };
    return { name, origin: 'default', locked };
  });
}

/** The variables of the template, and then those that the instance adds. */
export function effectiveEnvironment(template: Defaults, { environment = [] }: Overrides): EffectiveVariable[] {
  const own = new Map(environment.map(({ name, value }) => [name, value]));
  const given = (template?.environment ?? []).map(({ name, value, locked }): EffectiveVariable => {
    const override = locked ? undefined : own.get(name);
    return override === undefined
      ? { name, value, origin: 'template', locked }
      : { name, value: override, origin: 'instance', locked };
  });
  const known = new Set(given.map(({ name }) => name));
  const added = environment.filter(({ name }) => !known.has(name));
  return [...given, ...added.map(({ name, value }) => ({ name, value, origin: 'instance' as const, locked: false }))];
}

/** What a runtime is started with. */
export type Settings = Omit<StartedWith, 'at'>;

/** What an instance would be started with now. */
export function settingsOf(
  stack: Pick<SpecOf<'Stack'>, 'runtime' | 'resources'>,
  template: Defaults,
  overrides: Overrides,
): Settings {
  const given = effectiveOptions(template, overrides).filter(({ value }) => value !== undefined);
  return {
    runtime: stack.runtime,
    resources: stack.resources,
    // Each value comes from where it was checked as the value of that option.
    options: Object.fromEntries(given.map(({ name, value }) => [name, value])),
    environment: effectiveEnvironment(template, overrides).map(({ name, value }) => ({ name, value })),
  };
}

/** What differs between two settings, by name: `runtime`, `resources`, `address`, options by theirs, and variables as `environment.NAME`. */
export function differingSettings(before: Settings, after: Settings): string[] {
  const parts = (['runtime', 'resources'] as const).filter((part) => !sameValue(before[part], after[part]));
  const options = keysOf(optionValues).filter((name) => !sameValue(before.options[name], after.options[name]));
  const address = before.atRoot === after.atRoot ? [] : ['address'];
  return [...parts, ...address, ...options, ...differingVariables(before, after).map((name) => `environment.${name}`)];
}

function differingVariables(before: Settings, after: Settings): string[] {
  const [old, now] = [before, after].map(({ environment }) => new Map(environment.map((one) => [one.name, one.value])));
  return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].filter(
    (name) => old?.get(name) !== now?.get(name),
  );
}
