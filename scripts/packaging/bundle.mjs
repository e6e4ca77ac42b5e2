import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import ts from 'typescript';
import { ROOT } from '../run/root.mjs';

export const PACKAGES = path.join(ROOT, 'packages');

/** A package's manifest. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

/** What a package exports: subpath (`.`, `./testing`) → the source's full path. */
export function entryPointsOf(folder) {
  const { exports } = manifestOf(folder);
  return mapValues(exports, (conditions) => path.join(folder, conditions['tollgate:source']));
}

/** @template T, U @param {Record<string, T>} record @param {(value: T, key: string) => U} map @returns {Record<string, U>} */
export function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/**
 * Entry points as few files of JavaScript, with what they import of ours inside. Everything else stays an import.
 *
 * @param {object} options
 * @param {Record<string, string>} options.input name of a file to be → its source's full path
 * @param {RegExp[]} options.external what stays an import
 * @param {string} options.out folder to write into
 */
export async function bundleCode({ input, external, out }) {
  const bundle = await rolldown({
    cwd: PACKAGES,
    input,
    platform: 'neutral',
    external,
    resolve: { conditionNames: ['tollgate:source', 'import', 'default'] },
  });
  await bundle.write({ dir: out, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
  await bundle.close();
}

/**
 * The types of entry points, as few files, with those of contracts inside. The compiler writes a declaration beside each source
 * first, and only those are bundled: a bundler that asks the compiler for one file after the other takes minutes, and more memory
 * than Node gives it. Nothing is checked here; `tsc` does that.
 *
 * @param {object} options as those of `bundleCode`
 * @throws when a type cannot be written down
 */
export async function bundleTypes({ input, external, out }) {
  const contracts = entryPointsByName('contracts');
  // Its name is said nowhere in what is written.
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-types-'));
  const declarationOf = (source) =>
    path.join(folder, path.relative(PACKAGES, source)).replace(/\.ts$/, '.d.ts');
  try {
    writeDeclarations(Object.values(input), contracts, folder);
    const bundle = await rolldown({
      cwd: folder,
      input: mapValues(input, declarationOf),
      external,
      plugins: [foundAt(mapValues(contracts, declarationOf)), dts({ dtsInput: true, tsconfig: false })],
    });
    const chunkFileNames = ({ name }) => `chunks/${name.replace(/\.d$/, '')}-[hash].d.ts`;
    await bundle.write({ dir: out, format: 'esm', chunkFileNames });
    await bundle.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a package of ours exports: how it is imported → the source's full path. */
function entryPointsByName(name) {
  const entries = Object.entries(entryPointsOf(path.join(PACKAGES, name)));
  return Object.fromEntries(
    entries.map(([subpath, source]) => [path.posix.join('@tollgate', name, subpath), source]),
  );
}

/** Imports that lead to one of these. */
function foundAt(declarations) {
  return { name: 'ours', resolveId: { order: 'pre', handler: (id) => declarations[id] } };
}

/** A declaration for each source, and for each that it imports, by `paths` from other packages too, in the same tree of folders. */
function writeDeclarations(sources, paths, outDir) {
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const program = ts.createProgram(sources, {
    ...options,
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    paths: mapValues(paths, (source) => [source]),
    rootDir: PACKAGES,
    outDir,
  });
  const { diagnostics } = program.emit();
  if (diagnostics.length > 0) {
    const host = {
      ...ts.sys,
      getCanonicalFileName: (name) => name,
      getNewLine: () => '\n',
      getCurrentDirectory: () => ROOT,
    };
    throw new Error(ts.formatDiagnostics(diagnostics, host));
  }
}
