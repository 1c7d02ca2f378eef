// What the description promises, held against what the server answers: an independent validator reads the schemas.
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { codes } from '../../src/http/errors.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents and schemas are looked into in every shape.
export type Any = any;

/** An operation of the description. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Any;
  }[];
  /** The schema of its body, where it takes one. */
  readonly body?: Any;
  readonly bodyRequired: boolean;
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, Any>>;
  readonly raw: Any;
}

/** An answer, as much as is looked at. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Contract {
  readonly document: Any;
  readonly operations: readonly Operation[];
  /** A schema of the document with its references resolved, one level. */
  resolve(schema: Any): Any;
  /** What is wrong with a value by a schema of the document; nothing where it fits. */
  misfit(schema: Any, value: unknown): string | undefined;
  /** What is wrong with an answer; nothing where it is as described. */
  breach(operation: Operation, answer: Answered): string | undefined;
}

/** Reads a description. */
export function contractOf(document: Any): Contract {
  const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
  (addFormats as unknown as (to: Ajv) => void)(ajv);
  ajv.addSchema(asJsonSchema({ components: document.components }) as object, 'api');
  const known = new Map<unknown, ValidateFunction>();
  const misfit = (schema: Any, value: unknown): string | undefined => {
    const validate = known.get(schema) ?? ajv.compile(absolute(asJsonSchema(schema)) as object);
    known.set(schema, validate);
    return validate(value)
      ? undefined
      : `${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)?.slice(0, 600)}`;
  };
  const problem = { $ref: '#/components/schemas/Problem' };
  return {
    document,
    operations: operationsOf(document),
    resolve: (schema) => (schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema),
    misfit,
    breach: ({ responses }, answer) =>
      String(answer.status) in responses
        ? bodyBreach(responses[answer.status], answer, misfit)
        : problemBreach(answer, (value) => misfit(problem, value)),
  };
}

function operationsOf(document: Any): Operation[] {
  return Object.entries<Any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Any>(methods).map(([method, raw]) => ({
      id: raw.operationId,
      method: method.toUpperCase() as Operation['method'],
      path,
      parameters: raw.parameters ?? [],
      body: raw.requestBody?.content?.['application/json']?.schema,
      bodyRequired: raw.requestBody !== undefined && raw.requestBody.required !== false,
      security: raw.security,
      responses: raw.responses,
      raw,
    })),
  );
}

function bodyBreach(
  response: Any,
  { status, headers, text }: Answered,
  misfit: Contract['misfit'],
): string | undefined {
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  if (!response.content) return text === '' ? undefined : `${status} has a body: ${text.slice(0, 200)}`;
  const media = response.content[type];
  if (!media) return `${status} is ${type || 'without a type'}, which is not declared`;
  if (!type.endsWith('json')) return undefined;
  const value = parsed(text);
  return value === undefined ? `${status} is no JSON: ${text.slice(0, 200)}` : misfit(media.schema, value);
}

function problemBreach({ status, headers, text }: Answered, misfit: (value: unknown) => string | undefined) {
  if (status < 400) return `${status} is not declared`;
  if (!/^application\/problem\+json/.test(String(headers['content-type']))) return `${status} is no problem: ${text}`;
  const value = parsed(text);
  const wrong = misfit(value);
  if (wrong) return wrong;
  const { code, status: said, detail } = Object(value);
  if (said !== status || codes[code as keyof typeof codes].status !== status) return `${code} goes with ${status}`;
  if (/node_modules|\.ts:\d|\n +at |undefined|\[object/.test(detail)) return `it tells what is inside: ${detail}`;
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** OpenAPI 3.0 has draft-04's `exclusiveMinimum: true`, and ends its references in this document. */
function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema as Any;
  const plain: Any = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, key === 'example' ? value : asJsonSchema(value)]),
  );
  if (exclusiveMinimum === true) {
    plain.exclusiveMinimum = rest.minimum;
    delete plain.minimum;
  } else if (typeof exclusiveMinimum === 'object') plain.exclusiveMinimum = asJsonSchema(exclusiveMinimum);
  if (exclusiveMaximum === true) {
    plain.exclusiveMaximum = rest.maximum;
    delete plain.maximum;
  } else if (typeof exclusiveMaximum === 'object') plain.exclusiveMaximum = asJsonSchema(exclusiveMaximum);
  return plain;
}

function absolute(schema: Any): unknown {
  if (Array.isArray(schema)) return schema.map(absolute);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries<Any>(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? [key, `api${value}`]
        : [key, absolute(value)],
    ),
  );
}
