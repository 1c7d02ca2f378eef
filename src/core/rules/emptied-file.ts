// emptied-file: a file that turned empty deletes nothing, because a file that is being written looks the same.
import { isDeclared } from './protected.ts';
import { type Rule, violation } from './rule.ts';

export const emptiedFile: Rule = {
  id: 'emptied-file',
  refuses: 'a file that declared objects and is now empty',
  *check(batch) {
    if (batch.door !== 'config' || !batch.tree) return;
    for (const { before, after } of batch.changes) {
      if (!before || after || !isDeclared(before) || !before.source) continue;
      const { file } = before.source;
      if (!batch.tree.emptyFiles.has(file)) continue;
      const found = violation(
        'emptied-file',
        before,
        '',
        `cannot be deleted by emptying ${file}, because a half-written file looks the same: delete the file instead`,
      );
      yield { ...found, source: { file, line: 1, column: 1, endLine: 1, endColumn: 1 } };
    }
  },
};
