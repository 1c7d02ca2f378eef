// What answers are written by.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { routes } from '../../src/http/routes/index.ts';
import { serializerOf } from '../../src/http/serializers.ts';

const serializers = suite('serializers');

const shape = () => z.object({ name: z.string(), size: z.number().optional() });

serializers('write the fields that the schema has, in its order', () => {
  assert.is(serializerOf(shape())({ extra: 1, size: 2, name: 'a' }), '{"name":"a","size":2}');
  assert.throws(() => serializerOf(shape())({ size: 2 }), /"name" is required/);
});

serializers('are shared by schemas that say the same', () => {
  assert.is(serializerOf(shape()), serializerOf(shape()));
  assert.is.not(serializerOf(shape()), serializerOf(shape().extend({ more: z.string() })));
});

serializers('can be made of all that any route answers', () => {
  const schemas = routes.flatMap(({ answers }) => Object.values(answers).flatMap(({ schema }) => schema ?? []));
  assert.ok(schemas.length > 100);
  for (const schema of schemas) assert.type(serializerOf(schema), 'function');
});

serializers.run();
