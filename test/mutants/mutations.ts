// The small faults that a mutation run puts into a file, one at a time: found in its syntax tree, told by their place in its text.
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type BinaryExpression, type LogicalExpression, type Node, parse } from 'acorn';

/** A fault: the text from `start` to `end` is replaced. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What kind of fault, for the report. */
  readonly operator: string;
}

/** What stands for an operator where it is mistaken. */
const otherOperator: ReadonlyMap<string, string> = new Map([
  ['===', '!=='],
  ['!==', '==='],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['&&', '||'],
  ['||', '&&'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
]);

const otherMethod: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
]);

/** Every mutation of a TypeScript text, in order. Texts are left alone: what a message says is for people to judge. */
export function mutationsOf(source: string): readonly Mutation[] {
  // Types become spaces, so that each place is where it is in the source.
  const code = stripTypeScriptTypes(source);
  const found: Mutation[] = [];
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => found.push(...ofNode(node, code)));
  const isOther = ({ start, end, replacement }: Mutation) => code.slice(start, end) !== replacement;
  return found.filter(isOther).sort((a, b) => a.start - b.start || a.end - b.end);
}

function* ofNode(node: AnyNode, code: string): Generator<Mutation> {
  yield* ofStatement(node);
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') yield* ofOperator(node, code);
  if (node.type === 'UnaryExpression' && node.operator === '!')
    yield { start: node.start, end: node.start + 1, replacement: ' ', operator: 'negation' };
  if (node.type === 'Literal') yield* ofLiteral(node);
  if (node.type === 'CallExpression') yield* ofCall(node);
}

function* ofStatement(node: AnyNode): Generator<Mutation> {
  if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
    for (const constant of ['true', 'false']) yield put(node.test, constant, 'condition');
  if (node.type === 'WhileStatement') yield put(node.test, 'false', 'condition');
  if (node.type === 'ExpressionStatement' && !isDirective(node)) yield put(node, ';', 'statement');
  if (node.type === 'ReturnStatement' && node.argument) yield put(node.argument, 'undefined', 'result');
  if (node.type === 'ArrowFunctionExpression' && node.expression) yield put(node.body, 'undefined', 'result');
}

function* ofLiteral(node: AnyNode & { readonly type: 'Literal' }): Generator<Mutation> {
  if (typeof node.value === 'boolean') yield put(node, String(!node.value), 'boolean');
  if (typeof node.value === 'number') yield put(node, node.value === 0 ? '1' : '0', 'number');
}

function* ofOperator({ left, operator, end }: BinaryExpression | LogicalExpression, code: string): Generator<Mutation> {
  const at = code.indexOf(operator, left.end);
  if (operator === '??') yield { start: at, end, replacement: ' ', operator: 'default' };
  const other = otherOperator.get(operator);
  if (other === undefined) return;
  yield { start: at, end: at + operator.length, replacement: other, operator };
}

function* ofCall({ callee, arguments: given }: AnyNode & { readonly type: 'CallExpression' }): Generator<Mutation> {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
  const { property } = callee;
  const other = otherMethod.get(property.name);
  if (other !== undefined) yield put(property, other, 'method');
  const [only] = given;
  if (property.name === 'filter' && only) yield put(only, '() => true', 'filter');
}

function put({ start, end }: Pick<Node, 'start' | 'end'>, replacement: string, operator: string): Mutation {
  return { start, end, replacement, operator };
}

function isDirective(node: AnyNode): boolean {
  return 'directive' in node && node.directive !== undefined;
}

function visit(node: AnyNode, see: (node: AnyNode) => void): void {
  see(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see);
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  );
}
