import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';

const GENERATED = new Set(['node_modules', 'dist', 'packed', '.turbo', 'coverage']);
const GENERATED_CLIENT = path.join('packages', 'database', 'src', 'generated');

/** Hash of names and contents without generated files. @param {string[]} inputs relative to the root */
export function hashContents(inputs) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.version}\n`);
  for (const input of inputs) addTo(hash, input);
  return hash.digest('hex');
}

function addTo(hash, relative) {
  const full = path.join(ROOT, relative);
  if (!existsSync(full)) {
    hash.update(`${relative} absent\n`);
  } else if (!statSync(full).isDirectory()) {
    hash.update(`${relative}\n`).update(readFileSync(full)).update('\n');
  } else if (relative !== GENERATED_CLIENT) {
    const names = readdirSync(full).filter((name) => !GENERATED.has(name) && !name.endsWith('.gen.ts'));
    for (const name of names.sort()) addTo(hash, path.join(relative, name));
  }
}

export function workspaceFolders() {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(path.join(ROOT, group), { withFileTypes: true })
      .filter((entry) => existsSync(path.join(ROOT, group, entry.name, 'package.json')))
      .map((entry) => path.join(group, entry.name)),
  );
}
