import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';

/** Contents of files and folders, by path relative to the root. Omits absent ones. @returns {Map<string, string>} */
export function readContents(relatives) {
  const contents = new Map();
  for (const relative of relatives) collect(relative, contents);
  return contents;
}

export function changedPaths(before, after) {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((relative) => before.get(relative) !== after.get(relative)).sort();
}

export function restoreContents(paths, state) {
  for (const relative of paths) {
    const full = path.join(ROOT, relative);
    const content = state.get(relative);
    if (content === undefined) {
      rmSync(full, { force: true });
    } else {
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, content);
    }
  }
}

function collect(relative, contents) {
  const full = path.join(ROOT, relative);
  if (!existsSync(full)) return;
  if (!statSync(full).isDirectory()) {
    contents.set(relative, readFileSync(full, 'utf8'));
    return;
  }
  for (const name of readdirSync(full)) collect(path.join(relative, name), contents);
}
