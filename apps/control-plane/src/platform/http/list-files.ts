import { readdirSync } from 'node:fs';
import path from 'node:path';

/** All files below a folder, as addresses name them, with where they are: what is not in here cannot be asked for. */
export function listFiles(root: string): Map<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    found.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(root, file).split(path.sep).join('/'), file];
    }),
  );
}
