// emptied-file: a file that turned empty deletes nothing, because a file that is being written looks the same.
import { isDeclared } from './protected.ts';
import { type Rule, violation } from './rule.ts';

export const emptiedFile: Rule = {
  id: 'emptied-file',
  refuses: 'a file that declared objects and is now empty',
  *check(batch) {
    if (batch.door !== 'config' || !batch.tree) return;
    for (const { before, after } of batch.changes) {
      if (!before || !isDeclared(before) || !before.source || before.managedBy !== 'config') continue;
      // Letting go of an object is as much as deleting it: when the text comes back the object is somebody else's.
      if (after && (!isDeclared(after) || after.managedBy === 'config')) continue;
      const { file } = before.source;
      if (!batch.tree.emptyFiles.has(file)) continue;
      const gone = after ? 'let go' : 'deleted';
      const what = `cannot be ${gone} by emptying ${file}, because a half-written file looks the same: delete the file instead`;
      const found = violation('emptied-file', before, '', what);
      yield { ...found, source: { file, line: 1, column: 1, endLine: 1, endColumn: 1 } };
    }
  },
};
