// Every regular expression of a source, from its syntax tree: literals, and what `RegExp` makes.
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Expression, parse } from 'acorn';

/** One place where an expression is made. */
export interface FoundExpression {
  readonly line: number;
  /** As it is written: `/a+/g`, or `new RegExp(pattern)`. */
  readonly text: string;
  /** What it is; nothing where that is known at run time only. */
  readonly expression?: { readonly source: string; readonly flags: string };
}

/** The expressions of a source of TypeScript or JavaScript, in their order. `path` says which it is. */
export function expressionsIn(source: string, path: string): readonly FoundExpression[] {
  // Types become spaces, so everything stays where it is.
  const code = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
  const sourceType = path.endsWith('.cjs') ? 'script' : 'module';
  const tree = parse(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true, locations: true });
  const constants = constantsOf(nodesIn(tree));
  return nodesIn(tree).flatMap((node): FoundExpression[] => {
    const found = { line: node.loc?.start.line ?? 0, text: code.slice(node.start, node.end).replaceAll(/\s+/g, ' ') };
    if (node.type === 'Literal' && node.regex)
      return [{ ...found, expression: { source: node.regex.pattern, flags: node.regex.flags } }];
    if ((node.type !== 'NewExpression' && node.type !== 'CallExpression') || !isNamed(node.callee, 'RegExp')) return [];
    const [pattern, flags] = node.arguments.map((one) => textOf(one, constants));
    if (pattern === undefined || (node.arguments.length > 1 && flags === undefined)) return [found];
    return [{ ...found, expression: { source: pattern, flags: flags ?? '' } }];
  });
}

function nodesIn(root: AnyNode): readonly AnyNode[] {
  const children = Object.values(root).flat().filter(isNode);
  return [root, ...children.flatMap(nodesIn)];
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function isNamed(node: AnyNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

/** What each `const` of the file is made of, by its name; a name that stands for two things stands for nothing. */
function constantsOf(nodes: readonly AnyNode[]): ReadonlyMap<string, Expression> {
  const found = nodes.flatMap((node) =>
    node.type === 'VariableDeclaration' && node.kind === 'const'
      ? node.declarations.flatMap(({ id, init }) =>
          id.type === 'Identifier' && init ? [[id.name, init] as const] : [],
        )
      : [],
  );
  return new Map(found.filter(([name]) => found.filter(([other]) => other === name).length === 1));
}

/** The text that an expression comes to, where that can be read off the file. */
function textOf(node: AnyNode | undefined, constants: ReadonlyMap<string, Expression>): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type === 'Identifier') return textOf(constants.get(node.name), constants);
  if (node?.type === 'BinaryExpression' && node.operator === '+')
    return joined([textOf(node.left, constants), textOf(node.right, constants)]);
  const isRaw = node?.type === 'TaggedTemplateExpression' && node.tag.type === 'MemberExpression';
  const template = isRaw ? node.quasi : node;
  if (template?.type !== 'TemplateLiteral') return undefined;
  return joined(
    template.quasis.flatMap(({ value }, index) => {
      const inner = template.expressions[index];
      return [isRaw ? value.raw : (value.cooked ?? undefined), ...(inner ? [textOf(inner, constants)] : [])];
    }),
  );
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('');
}
