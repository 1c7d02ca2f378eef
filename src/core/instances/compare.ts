// What differs between two contents: nodes, modules and settings by name, without any value that may be secret.
import { sameValue } from '../model/leaves.ts';
import type { Content } from './content.ts';
import { differingSettings, type Settings } from './settings.ts';

/** A node, tab, subflow or configuration node of a flow. */
export interface FlowItem {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  /** The id of the tab or subflow that it stands on. */
  readonly tab?: string;
}

/** What one content has and the other has not, or otherwise; `fields` are names of fields. */
export interface Difference {
  readonly flows: {
    readonly added: readonly FlowItem[];
    readonly removed: readonly FlowItem[];
    readonly changed: readonly (FlowItem & { readonly fields: readonly string[] })[];
  };
  readonly modules: {
    readonly added: readonly { readonly name: string; readonly version: string }[];
    readonly removed: readonly { readonly name: string; readonly version: string }[];
    readonly changed: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  };
  /** Names, as `restartRequired` has them. */
  readonly settings: readonly string[];
}

/** Where a node or a group stands in the editor, and how large it is drawn. */
const placed: readonly string[] = ['x', 'y', 'w', 'h'];

/** From one content to another; where nodes stand only counts with `positions`. */
export function compareContents(before: Content, after: Content, { positions = false } = {}): Difference {
  const [old, now] = positions ? [before.flows, after.flows] : [before.flows.map(unplaced), after.flows.map(unplaced)];
  return {
    flows: compareFlows(old, now),
    modules: compareModules(before.modules, after.modules),
    settings: differingSettings(settingsIn(before), settingsIn(after)),
  };
}

type Node = Content['flows'][number];

/** Without where it stands, where it stands on a tab or subflow: what has no place may have fields of these names that mean something. */
function unplaced(node: Node): Node {
  if (typeof node.z !== 'string') return node;
  return Object.fromEntries(Object.entries(node).filter(([name, value]) => !isPlace(name, value)));
}

function isPlace(name: string, value: unknown): boolean {
  return placed.includes(name) && typeof value === 'number';
}

function compareFlows(before: readonly Node[], after: readonly Node[]): Difference['flows'] {
  const [old, now] = [before, after].map((nodes) => new Map(nodes.map((node) => [textOf(node, 'id') ?? '', node])));
  const only = (nodes: readonly Node[], others: ReadonlyMap<string, Node> | undefined) =>
    nodes.filter((node) => !others?.has(textOf(node, 'id') ?? '')).map(itemOf);
  return {
    added: only(after, old),
    removed: only(before, now),
    changed: after.flatMap((node) => {
      const was = old?.get(textOf(node, 'id') ?? '');
      const fields = was ? differingFields(was, node) : [];
      return fields.length > 0 ? [{ ...itemOf(node), fields }] : [];
    }),
  };
}

function differingFields(before: Node, after: Node): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => !sameValue(before[name], after[name])).sort();
}

function itemOf(node: Node): FlowItem {
  const name = textOf(node, 'label') || textOf(node, 'name');
  const tab = textOf(node, 'z');
  return {
    id: textOf(node, 'id') ?? '',
    type: textOf(node, 'type') ?? '',
    ...(name ? { name } : {}),
    ...(tab ? { tab } : {}),
  };
}

function textOf(node: Node, field: string): string | undefined {
  const value = node[field];
  return typeof value === 'string' ? value : undefined;
}

function compareModules(before: Content['modules'], after: Content['modules']): Difference['modules'] {
  const entries = (of: Content['modules']) => Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1));
  const missingIn = (others: Content['modules']) => (entry: readonly [string, string]) =>
    Object.hasOwn(others, entry[0]) ? [] : [{ name: entry[0], version: entry[1] }];
  return {
    added: entries(after).flatMap(missingIn(before)),
    removed: entries(before).flatMap(missingIn(after)),
    changed: entries(after).flatMap(([name, version]) => {
      const was = Object.hasOwn(before, name) ? before[name] : undefined;
      return was === undefined || was === version ? [] : [{ name, before: was, after: version }];
    }),
  };
}

/** Of what was never started nothing is set. */
function settingsIn({ settings }: Content): Settings {
  const { runtime = '', resources = {}, options = {}, environment = [] } = settings ?? {};
  return { runtime, resources, options, environment };
}
