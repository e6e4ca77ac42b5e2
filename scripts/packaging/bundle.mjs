import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import ts from 'typescript';
import { ROOT } from '../run/root.mjs';

export const PACKAGES = path.join(ROOT, 'packages');

export function manifestOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

/** Subpath (`.`, `./testing`) → path of its source. */
export function entryPointsOf(folder) {
  const { exports = {} } = manifestOf(folder);
  // Programs of threads have no source condition: they always run compiled.
  return mapValues(exports, ({ 'tollgate:source': source, types }) => path.join(folder, source ?? types));
}

export function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Extensions of a format's files. */
const EXTENSIONS = { esm: { code: 'js', types: 'd.ts' }, cjs: { code: 'cjs', types: 'd.cts' } };

/**
 * Bundles entry points with the repository's packages.
 * @param {{ input: Record<string, string>, external: RegExp[], out: string, formats: ('esm' | 'cjs')[] }} options
 * `input`: file name → path of its source; `external`: remain imports
 */
export async function bundleCode({ input, external, out, formats }) {
  const bundle = await rolldown({
    cwd: PACKAGES,
    input,
    platform: 'neutral',
    external,
    resolve: { conditionNames: ['tollgate:source', 'import', 'default'] },
  });
  for (const format of formats) {
    const extension = EXTENSIONS[format].code;
    const chunkFileNames = `chunks/[name]-[hash].${extension}`;
    await bundle.write({ dir: out, format, entryFileNames: `[name].${extension}`, chunkFileNames });
  }
  await bundle.close();
}

/**
 * Bundles the types of entry points. The compiler writes all declarations first: a bundler that calls it file by file
 * takes minutes. Does not check types. @throws when a type cannot be written
 */
export async function bundleTypes({ input, external, out, formats }) {
  const ours = Object.assign({}, ...readdirSync(PACKAGES).map(entryPointsByName));
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-types-'));
  const declarationOf = (source) =>
    path.join(folder, path.relative(PACKAGES, source)).replace(/\.ts$/, '.d.ts');
  try {
    writeDeclarations(Object.values(input), ours, folder);
    for (const format of formats) {
      const extension = EXTENSIONS[format].types;
      const bundle = await rolldown({
        cwd: folder,
        input: mapValues(input, declarationOf),
        external,
        plugins: [foundAt(mapValues(ours, declarationOf)), dts({ dtsInput: true, tsconfig: false })],
      });
      const nameOf = ({ name }) => name.replace(/\.d$/, '');
      await bundle.write({
        dir: out,
        // Declarations have the syntax of ES modules in both; the extension tells them apart.
        format: 'esm',
        entryFileNames: (chunk) => `${nameOf(chunk)}.${extension}`,
        chunkFileNames: (chunk) => `chunks/${nameOf(chunk)}-[hash].${extension}`,
      });
      await bundle.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Import name → path of its source. */
function entryPointsByName(name) {
  const entries = Object.entries(entryPointsOf(path.join(PACKAGES, name)));
  return Object.fromEntries(
    entries.map(([subpath, source]) => [path.posix.join('@tollgate', name, subpath), source]),
  );
}

function foundAt(declarations) {
  return { name: 'ours', resolveId: { order: 'pre', handler: (id) => declarations[id] } };
}

/** Writes declarations of the sources and their imports; `paths` resolves other packages. */
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
