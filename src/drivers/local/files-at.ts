// The files that instances of a local driver serve as they are, one change of an instance after another.
import type { Files } from '../driver.ts';
import { listFiles, openFile, putFile, removeFile } from './files.ts';
import { folderOf } from './folder.ts';

/** What such changes wait for. Not the turn of the instance, which may be that of a start that takes long; no id has a slash. */
export function filesTurn(id: string): string {
  return `${id}/files`;
}

/** The files of the instances below a folder; `inTurn` does the changes. */
export function filesAt(instances: string, inTurn: <T>(id: string, work: () => Promise<T>) => Promise<T>): Files {
  const folder = (id: string) => folderOf(instances, id);
  return {
    list: (id) => listFiles(folder(id)),
    open: (id, path) => openFile(folder(id), path),
    put: (id, path, content, check) =>
      inTurn(id, async () => {
        check(await listFiles(folder(id)));
        return putFile(folder(id), path, content);
      }),
    remove: (id, path, check) =>
      inTurn(id, async () => {
        check(await listFiles(folder(id)));
        return removeFile(folder(id), path);
      }),
  };
}
