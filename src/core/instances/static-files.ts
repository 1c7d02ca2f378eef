// The files that an instance serves as they are (specification 2.3): how they may be called, and how many of them there may be.

/** A file. `path` has `/` between its segments, `size` is in bytes, `modifiedAt` is RFC 3339, UTC; `version` is another text whenever the file is another. */
export interface StaticFile {
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: string;
  readonly version: string;
}

/** The bounds of an instance, in bytes, files, characters and folders below each other. */
export const staticBounds = {
  fileBytes: 4 * 1024 * 1024,
  allBytes: 256 * 1024 * 1024,
  files: 1000,
  pathLength: 200,
  depth: 8,
} as const;

/** Why nothing can be called so, as the end of a sentence; nothing where it can. */
export function staticPathProblem(path: string): string | undefined {
  const { pathLength, depth } = staticBounds;
  if (path.length > pathLength) return `it is longer than ${pathLength} characters`;
  const segments = path.split('/');
  if (segments.length > depth) return `it is more than ${depth} levels deep`;
  const wrong = segments.find((segment) => !isSegment(segment));
  if (wrong === undefined) return undefined;
  if (wrong === '') return 'it begins or ends with a slash, or has two in a row';
  if (wrong.startsWith('.')) return `${JSON.stringify(wrong)} begins with a dot`;
  if (wrong === packages) return `${packages} is the folder of packages`;
  return `${JSON.stringify(wrong)} has something else than letters and digits of ASCII, ".", "_" and "-"`;
}

/** A backup leaves folders of this name out. */
const packages = 'node_modules';

function isSegment(segment: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(segment) && segment !== packages;
}

/** Why a file of so many bytes cannot be put beside these, as the end of a sentence; nothing where it can. It takes the place of one with its path. */
export function staticBoundsProblem(files: readonly StaticFile[], path: string, bytes: number): string | undefined {
  const others = files.filter((file) => file.path !== path);
  const { files: most, allBytes } = staticBounds;
  if (others.length >= most) return `the instance has ${others.length} other files, and ${most} is the most`;
  const used = others.reduce((sum, { size }) => sum + size, 0);
  if (used + bytes <= allBytes) return undefined;
  return `all files of the instance together would have ${used + bytes} bytes, and ${allBytes} is the most`;
}
