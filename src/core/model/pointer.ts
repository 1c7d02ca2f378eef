// JSON Pointers (RFC 6901): the one way in which Weir names a place inside an object.

/** `~` and `/` inside one step of a pointer, escaped. */
export function escapeStep(step: string | number): string {
  if (typeof step === 'number') return String(step);
  return step.includes('~') || step.includes('/') ? step.replaceAll('~', '~0').replaceAll('/', '~1') : step;
}

/** A pointer from its steps; no steps name the whole object (`''`). */
export function pointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${escapeStep(step)}`).join('');
}

/** The steps of a pointer, unescaped. */
export function stepsOf(path: string): string[] {
  if (path === '') return [];
  return path
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** How people read a pointer into a spec: `/spec/instanceTypes/0/name` is `instanceTypes[0].name`. */
export function readable(path: string): string {
  const steps = stepsOf(path);
  const inner = steps[0] === 'spec' && steps.length > 1 ? steps.slice(1) : steps;
  return inner.reduce((text, step) => (/^\d+$/.test(step) ? `${text}[${step}]` : text ? `${text}.${step}` : step), '');
}
