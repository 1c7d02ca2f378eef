// A tree that is judged by what changed is judged as if it were read for the first time.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Document } from '../../../src/core/model/document.ts';
import { type DecodeCache, desireSteps } from '../../../src/core/plan/desired-tree.ts';
import { type JudgeMemory, judgeSteps } from '../../../src/core/plan/judge.ts';
import { parse } from '../../../src/manifests/parse.ts';
import { type Files, facts, run, told } from '../../control/world.ts';
import { type AnyDocument, anyTree, filesOf } from './any-tree.ts';

/** Reads trees as a watcher does: what is unchanged is the same document again. */
function reader() {
  const parsed = new Map<string, readonly Document[]>();
  const cache: DecodeCache = new WeakMap();
  return (files: Files) => {
    const entries = Object.entries(files).map(([path, text]) => {
      const documents = parsed.get(`${path}\n${text}`) ?? parse(path, text).documents;
      parsed.set(`${path}\n${text}`, documents);
      return { path, text, documents, broken: false };
    });
    const documents = entries.flatMap((entry) => entry.documents);
    const readPublicFile = () => ({ problem: 'there is none' });
    return run(desireSteps({ documents, files: entries, findings: [], readPublicFile }, cache));
  };
}

/** A few documents out of a tree are gone, or altered so that rules may be broken. */
const anyEdit = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('drop', 'rename', 'runtime', 'replaces', 'stacks', 'price', 'active'),
});
type Edit = typeof anyEdit extends fc.Arbitrary<infer E> ? E : never;

function edited(documents: readonly AnyDocument[], { at, how }: Edit): AnyDocument[] {
  const index = at % Math.max(1, documents.length);
  const one = documents[index];
  if (!one) return [...documents];
  const wrong: Record<Edit['how'], AnyDocument | undefined> = {
    drop: undefined,
    rename: { ...one, metadata: { ...one.metadata, name: `other-${at % 3}` } },
    runtime: { ...one, spec: { ...one.spec, runtime: 'changed' } },
    replaces: { ...one, spec: { ...one.spec, replaces: `stack-${at % 4}` } },
    stacks: { ...one, spec: { ...one.spec, stacks: ['stack-0', 'stack-9'] } },
    price: { ...one, spec: { ...one.spec, price: { id: 'p' } } },
    active: { ...one, spec: { ...one.spec, active: true } },
  };
  const next = wrong[how];
  return next ? documents.with(index, next) : documents.toSpliced(index, 1);
}

const judge = suite('a judge with a memory');

judge('finds what one without finds, whatever was edited before', () => {
  fc.assert(
    fc.property(anyTree, fc.array(anyEdit, { maxLength: 8 }), (first, edits) => {
      const read = reader();
      const memory: JudgeMemory = {};
      // Many others stand around, so that one edit is a small part of the tree.
      const others = Array.from(
        { length: 20 },
        (_, at): AnyDocument => ({ kind: 'Template', metadata: { name: `around-${at}` }, spec: {} }),
      );
      let documents = first;
      for (const edit of [undefined, ...edits]) {
        if (edit) documents = edited(documents, edit);
        const tree = read(filesOf([...others, ...documents]));
        const found = run(judgeSteps(tree, facts, memory)).map(told);
        assert.equal(found.sort(), run(judgeSteps(tree, facts)).map(told).sort());
      }
    }),
    { numRuns: 150 },
  );
});

judge('does remember: a small change of a large tree costs little', () => {
  const read = reader();
  const memory: JudgeMemory = {};
  const template = (at: number, description: string): AnyDocument => ({
    kind: 'Template',
    metadata: { name: `t${at}` },
    spec: { description },
  });
  const tree = (description: string) =>
    read(filesOf(Array.from({ length: 4000 }, (_, at) => template(at, at === 7 ? description : ''))));
  const trees = ['one', 'two', 'three', 'four', 'five', 'six'].map(tree);
  const cost = (next: (typeof trees)[number], remembered: JudgeMemory) => {
    const start = process.cpuUsage().user;
    run(judgeSteps(next, facts, remembered));
    return process.cpuUsage().user - start;
  };
  const whole = Math.min(...trees.map((next) => cost(next, {})));
  const [, ...again] = trees.map((next) => cost(next, memory));
  assert.ok(Math.min(...again) < whole, `${again} µs, and ${whole} µs for the whole tree`);
});

judge.run();
