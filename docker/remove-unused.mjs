// Usage: node remove-unused.mjs, in a deployed folder. Deletes the packages that only optional peer dependencies lead to, such as
// test tools and the Prisma CLI: pnpm installs them, because other parts of the workspace have them.
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';

const used = new Set();

/** @param {string} modules the node_modules folder in which the package finds its dependencies */
function use(folder, modules) {
  if (used.has(folder)) return;
  used.add(folder);
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies }).concat(peers)) {
    const link = path.join(modules, name);
    if (!existsSync(link)) continue;
    const found = realpathSync(link);
    use(found, path.join(found, ...name.split('/').map(() => '..')));
  }
}

use(realpathSync('.'), path.resolve('node_modules'));
const store = path.resolve('node_modules/.pnpm');
const isUsed = (entry) => [...used].some((folder) => folder.startsWith(`${entry}${path.sep}`));
for (const { name, parentPath } of readdirSync(store, { withFileTypes: true })) {
  const entry = path.join(parentPath, name);
  if (name.includes('@', 1) && !isUsed(entry)) rmSync(entry, { recursive: true });
}
