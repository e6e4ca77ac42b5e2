import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';
import { bundleCode, bundleTypes, entryPointsOf, manifestOf, mapValues } from './bundle.mjs';

// `pnpm pack`: writes the folder `packed`, which is the tarball's content: code and types with contracts inside, README,
// licence and a manifest for consumers.

const folder = process.cwd();
const manifest = manifestOf(folder);
const packed = path.join(folder, manifest.publishConfig.directory);
const sources = Object.fromEntries(
  Object.entries(entryPointsOf(folder)).filter(([subpath]) => isPublished(subpath)),
);
const nameOf = (subpath) => (subpath === '.' ? 'index' : subpath.slice('./'.length));

await rm(packed, { recursive: true, force: true });
await mkdir(packed);
await Promise.all([
  ...[bundleCode, bundleTypes].map((bundle) => bundle(whatToBundle())),
  cp(path.join(folder, 'README.md'), path.join(packed, 'README.md')),
  cp(path.join(ROOT, 'LICENSE'), path.join(packed, 'LICENSE')),
  writeFile(path.join(packed, 'package.json'), `${JSON.stringify(manifestOfConsumers(), null, 2)}\n`),
]);

/** Subpaths of Tollgate's own programs are not. */
function isPublished(subpath) {
  return manifest.publishConfig.subpaths?.includes(subpath) ?? true;
}

function whatToBundle() {
  const input = Object.fromEntries(Object.entries(sources).map(([subpath, file]) => [nameOf(subpath), file]));
  const installed = Object.keys({ ...ofOthers(manifest.dependencies), ...manifest.peerDependencies });
  const external = [/^node:/, ...installed.map((name) => new RegExp(`^${name}(/|$)`))];
  return { input, external, out: path.join(packed, 'dist'), formats: ['esm', 'cjs'] };
}

function manifestOfConsumers() {
  const { private: _, scripts, imports, devDependencies, publishConfig, ...kept } = manifest;
  const { directory, linkDirectory, subpaths, ...published } = publishConfig;
  return {
    ...kept,
    files: ['dist'],
    exports: mapValues(sources, (_file, subpath) => ({
      import: { types: `./dist/${nameOf(subpath)}.d.ts`, default: `./dist/${nameOf(subpath)}.js` },
      require: { types: `./dist/${nameOf(subpath)}.d.cts`, default: `./dist/${nameOf(subpath)}.cjs` },
    })),
    dependencies: ofOthers(manifest.dependencies),
    publishConfig: published,
  };
}

function ofOthers(dependencies = {}) {
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith('@tollgate/')));
}
