// What is wrong with a request, in words: from zod's issues to findings whose paths point into what was sent.
import type { z } from 'zod';
import type { Finding } from './finding.ts';
import { reasonOf } from './issue-reason.ts';
import { pointer, readable } from './pointer.ts';

type Issue = z.core.$ZodIssue;

/** One finding of rule `schema` for each thing that is wrong. `what` names the whole (`the body`, `the query`). */
export function problemsOf(issues: readonly Issue[], what = 'the body'): Finding[] {
  return issues.flatMap((issue) => problemsIn(issue, what));
}

function problemsIn(issue: Issue, what: string): Finding[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const shown = shownPath(path) || what;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => problem([...path, key], unknown(JSON.stringify(key), shown)));
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element')
    return [problem(path, `${shown} does not fit what its keys and values may be`)];
  if (what === 'the query' && Array.isArray(issue.input))
    return [problem(path, `${shown} cannot be given ${issue.input.length} times: give it once`)];
  return [problem(path, `${shown} ${wordsOf(issue)}`)];
}

function unknown(key: string, shown: string): string {
  return shown === 'the query' ? `there is no parameter ${key} here` : `${shown} has no field ${key}`;
}

function problem(path: readonly (string | number)[], message: string): Finding {
  return { rule: 'schema', severity: 'error', message, path: pointer(...path) };
}

/** `spec.label`: unlike in a document the whole path is shown, because a body has more than a spec. */
function shownPath(path: readonly (string | number)[]): string {
  return readable(pointer('', ...path));
}

function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${types[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined
        ? `is missing: it is one of ${issue.values.join(', ')}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_big':
      return `must be at most ${sized(issue.maximum, issue.origin)}`;
    case 'too_small':
      return `must be at least ${sized(issue.minimum, issue.origin)}`;
    case 'invalid_union':
      return 'has none of the forms that it may have';
    case 'invalid_format':
      return formats[issue.format] ?? `cannot be this, because ${reasonOf(issue)}`;
    default:
      return `cannot be this, because ${reasonOf(issue)}`;
  }
}

/** `1 character long`, `2 items long`; a number by itself. */
function sized(limit: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'item', set: 'item' }[origin];
  return unit === undefined ? String(limit) : `${limit} ${unit}${Number(limit) === 1 ? '' : 's'} long`;
}

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'must be a time like 2026-11-21T10:00:00Z',
};
