import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';
import { bundleCode, bundleTypes, entryPointsOf, manifestOf, mapValues, PACKAGES } from './bundle.mjs';

// `pnpm pack`: writes the folder `packed`, which is the tarball's content: code with internal packages inside, README, licence
// and a manifest for consumers. Libraries have types and both module formats; programs (`bin`) are ES modules and read `files`
// of `publishConfig` through their `imports`.

const folder = process.cwd();
const manifest = manifestOf(folder);
const { directory, linkDirectory, subpaths, files = [], ...published } = manifest.publishConfig;
const packed = path.join(folder, directory);
const dependencies = dependenciesOf(manifest);

await rm(packed, { recursive: true, force: true });
await mkdir(packed);
await Promise.all([
  ...(manifest.bin === undefined ? packLibrary(sourcesOfSubpaths()) : packPrograms()),
  ...['README.md', ...files].map((file) => copy(folder, file)),
  copy(ROOT, 'LICENSE'),
]);

function copy(from, file) {
  return cp(path.join(from, file), path.join(packed, file), { recursive: true });
}

/** Without subpaths of Tollgate's own programs. */
function sourcesOfSubpaths() {
  const entries = Object.entries(entryPointsOf(folder));
  return Object.fromEntries(entries.filter(([subpath]) => subpaths?.includes(subpath) ?? true));
}

function packLibrary(sources) {
  const nameOf = (subpath) => (subpath === '.' ? 'index' : subpath.slice('./'.length));
  const input = Object.fromEntries(Object.entries(sources).map(([subpath, file]) => [nameOf(subpath), file]));
  const options = { ...whatToBundle(input), formats: ['esm', 'cjs'] };
  const exports = mapValues(sources, (_file, subpath) => ({
    import: { types: `./dist/${nameOf(subpath)}.d.ts`, default: `./dist/${nameOf(subpath)}.js` },
    require: { types: `./dist/${nameOf(subpath)}.d.cts`, default: `./dist/${nameOf(subpath)}.cjs` },
  }));
  return [bundleCode(options), bundleTypes(options), writeManifest({ exports, imports: undefined })];
}

function packPrograms() {
  const names = Object.values(manifest.bin).map((file) => path.basename(file, '.js'));
  const input = Object.fromEntries(names.map((name) => [name, path.join(folder, 'src', `${name}.ts`)]));
  return [bundleCode({ ...whatToBundle(input), formats: ['esm'] }), writeManifest({})];
}

function whatToBundle(input) {
  const installed = Object.keys({ ...dependencies, ...manifest.peerDependencies });
  const external = [/^node:/, ...installed.map((name) => new RegExp(`^${name}(/|$)`))];
  return { input, external, out: path.join(packed, 'dist') };
}

function writeManifest(changes) {
  const { scripts, devDependencies, publishConfig, ...kept } = manifest;
  const written = {
    ...kept,
    ...changes,
    files: ['dist', ...files],
    dependencies,
    publishConfig: published,
  };
  return writeFile(path.join(packed, 'package.json'), `${JSON.stringify(written, null, 2)}\n`);
}

/** Dependencies of a package and of the published packages inside it; those of internal packages are bundled. */
function dependenciesOf({ dependencies: declared = {} }) {
  const inside = Object.keys(declared)
    .filter(isOurs)
    .map((name) => manifestOf(path.join(PACKAGES, name.slice('@tollgate/'.length))))
    .filter(({ publishConfig }) => publishConfig !== undefined);
  const ofOthers = Object.entries(declared).filter(([name]) => !isOurs(name));
  return Object.assign(Object.fromEntries(ofOthers), ...inside.map(dependenciesOf));
}

function isOurs(name) {
  return name.startsWith('@tollgate/');
}
