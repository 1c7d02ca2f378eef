// Why a value cannot be what somebody wrote, from zod's issue: in our words, because zod's are written for programmers.
import type { z } from 'zod';

/** Follows "because": `it is longer than 63 characters`. A form that `matching` gives has words of its own, which stay. */
export function reasonOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      return tooBig(issue.origin, issue.maximum);
    case 'too_small':
      return tooSmall(issue.origin, issue.minimum);
    case 'not_multiple_of':
      return `it is not a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return issue.message.startsWith('Invalid') ? `it is not of the form "${issue.format}"` : issue.message;
    default:
      return issue.message;
  }
}

function tooBig(origin: string, maximum: number | bigint): string {
  if (origin === 'string') return `it is longer than ${counted(maximum, 'character')}`;
  return origin === 'array' ? `it has more than ${counted(maximum, 'item')}` : `it is more than ${maximum}`;
}

function tooSmall(origin: string, minimum: number | bigint): string {
  if (origin === 'string')
    return Number(minimum) <= 1 ? 'it is empty' : `it is shorter than ${counted(minimum, 'character')}`;
  return origin === 'array' ? `it has fewer than ${counted(minimum, 'item')}` : `it is less than ${minimum}`;
}

function counted(limit: number | bigint, unit: string): string {
  return `${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}
