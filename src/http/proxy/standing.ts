// How an instance stands for those who come in: what does not depend on who they are, remembered until anything changes.
import { effectiveOptions } from '../../core/instances/settings.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { effectiveIn, type Facts } from '../../core/rules/facts.ts';
import { isProtected } from '../../core/rules/protected-instance.ts';
import type { PositionedView } from '../../store/store.ts';

/** An instance, as the way in sees it. */
export interface Standing {
  readonly instance: Resource<'Instance'>;
  readonly team: Resource<'Team'>;
  /** Whether its endpoints and dashboards are for its team alone. */
  readonly isForTeam: boolean;
  /** Whether its editor is closed to everybody. */
  readonly isProtected: boolean;
  /** Whether it serves files as they are. */
  readonly servesFiles: boolean;
  /** Origins that its pages may ask, besides itself: the catalogues of modules. */
  readonly catalogues: readonly string[];
  /** The longest body that a request may have, in bytes: the option `apiMaxLength`. */
  readonly maxBody: number;
}

/** Answers how an instance stands; nothing where there is none. */
export function createStandings(facts: () => Facts): (view: PositionedView, id: string) => Standing | undefined {
  let position = '';
  const known = new Map<string, Standing>();
  return (view, id) => {
    if (view.position !== position) known.clear();
    position = view.position;
    const found = known.get(id) ?? standingOf(view, facts(), id);
    if (found) known.set(id, found);
    return found;
  };
}

function standingOf(view: View, facts: Facts, id: string): Standing | undefined {
  const instance = view.get('Instance', id);
  const team = instance && view.get('Team', instance.spec.team);
  const type = team && view.get('TeamType', team.spec.type);
  if (!instance || !team || !type) return undefined;
  const has = (feature: 'teamEndpointSecurity' | 'staticAssets') =>
    effectiveIn(view, facts, type.spec.features, feature).effective;
  return {
    instance,
    team,
    isForTeam: has('teamEndpointSecurity') && instance.spec.endpointAccess !== 'open',
    isProtected: isProtected(view, facts, instance),
    servesFiles: has('staticAssets'),
    catalogues: cataloguesOf(view, instance),
    maxBody: maxBodyOf(view, instance),
  };
}

/** Where the editor reads which modules there are when nobody says otherwise. */
const usualCatalogue = 'https://catalogue.nodered.org';

/** Without the option it is what the runtime takes by itself. */
function maxBodyOf(view: View, { spec }: Resource<'Instance'>): number {
  const options = effectiveOptions(view.get('Template', spec.template)?.spec, spec);
  const value = options.find(({ name }) => name === 'apiMaxLength')?.value ?? '5mb';
  const [, amount = '5', unit = 'mb'] = /^(\d+)(b|kb|mb|gb)$/.exec(String(value)) ?? [];
  return Number(amount) * (units[unit] ?? 1);
}

/** As runtimes count them. */
const units: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

function cataloguesOf(view: View, { spec }: Resource<'Instance'>): string[] {
  const options = effectiveOptions(view.get('Template', spec.template)?.spec, spec);
  const value = options.find(({ name }) => name === 'catalogues')?.value;
  const own = Array.isArray(value) ? value.map(String) : [];
  return [usualCatalogue, ...own.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)];
}
