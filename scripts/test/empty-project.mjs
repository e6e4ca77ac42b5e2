import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { pnpmVersion, TOOL_ENV } from '../bootstrap/install.mjs';
import { ROOT } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';

/** Older versions of Node 20 do not load ES modules by `require`. */
const WITHOUT_REQUIRE_OF_ESM = '--no-experimental-require-module';

/** A program's output. @throws Error with its output if it fails */
async function run(command, args, options) {
  const { code, output } = await runCommand(command, args, { env: TOOL_ENV, ...options });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}:\n${output}`);
  return output;
}

function runPnpm(args, cwd) {
  return run('npx', ['--yes', `pnpm@${pnpmVersion()}`, ...args], { cwd });
}

/** A folder outside this repository to install tarballs, run programs and check types in. */
export class EmptyProject {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tollgate-empty-')));

  /** The tarball of a package. */
  async pack(name) {
    const destination = path.join(this.folder, 'tarballs', name);
    await runPnpm(['pack', '--pack-destination', destination], path.join(ROOT, 'packages', name));
    return path.join(destination, readdirSync(destination)[0]);
  }

  /**
   * Installs tarballs by name, and optional peers. Their declared dependencies are linked from the workspace, so that no registry
   * is needed; undeclared ones are missing.
   */
  async install(tarballs, dependencies, peers) {
    const overrides = mapEntries(dependencies, (from) => `link:${from}`);
    const installed = Object.fromEntries(peers.map((name) => [name, overrides[name]]));
    const manifest = {
      private: true,
      type: 'module',
      dependencies: { ...mapEntries(tarballs, (file) => `file:${file}`), ...installed },
      pnpm: { overrides },
    };
    this.write('package.json', JSON.stringify(manifest));
    await runPnpm(['install', '--offline'], this.folder);
  }

  write(file, text) {
    writeFileSync(path.join(this.folder, file), text);
  }

  /** Runs an installed command and returns its output. */
  async runCommand(name, ...args) {
    return (await run(path.join(this.folder, 'node_modules/.bin', name), args, { cwd: this.folder })).trim();
  }

  /**
   * Runs a program and returns its output.
   * @param {string} text
   * @param {{ format: 'esm' | 'cjs', canRequireEsm?: boolean, env?: Record<string, string> }} options
   */
  async runProgram(text, { format, canRequireEsm = false, env = {} }) {
    const file = format === 'esm' ? 'program.mjs' : 'program.cjs';
    this.write(file, text);
    const options = { cwd: this.folder, env: { ...TOOL_ENV, ...env } };
    return (
      await run(process.execPath, canRequireEsm ? [file] : [WITHOUT_REQUIRE_OF_ESM, file], options)
    ).trim();
  }

  /**
   * Compiler errors in files of this project and in the Tollgate types that they import.
   * @param {string[]} files
   * @param {{ module: keyof typeof ts.ModuleKind, moduleResolution: keyof typeof ts.ModuleResolutionKind }} modules
   */
  typeProblems(files, { module, moduleResolution }) {
    const program = ts.createProgram(
      files.map((file) => path.join(this.folder, file)),
      {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind[module],
        moduleResolution: ts.ModuleResolutionKind[moduleResolution],
        moduleDetection: ts.ModuleDetectionKind.Force,
        types: ['node'],
        typeRoots: [path.join(ROOT, 'node_modules/@types')],
      },
    );
    const ours = program
      .getSourceFiles()
      .filter(({ fileName }) => /\/@tollgate\/|^[^/]*\.c?ts$/.test(path.relative(this.folder, fileName)));
    const diagnostics = ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    return diagnostics.map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Workspace folders of a package's dependencies, including optional peers. */
export function installedFor(name) {
  const modules = path.join(ROOT, 'packages', name, 'node_modules');
  const scopes = readdirSync(modules).flatMap((entry) =>
    entry.startsWith('@')
      ? readdirSync(path.join(modules, entry)).map((inner) => `${entry}/${inner}`)
      : entry,
  );
  const ofOthers = scopes.filter((entry) => !entry.startsWith('.') && !entry.startsWith('@tollgate/'));
  return Object.fromEntries(
    ofOthers
      .filter((entry) => existsSync(path.join(modules, entry)))
      .map((entry) => [entry, path.join(modules, entry)]),
  );
}

function mapEntries(record, map) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
