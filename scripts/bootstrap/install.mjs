import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../run/root.mjs';
import { runCommand } from '../run/run-command.mjs';
import { StepError } from '../run/steps.mjs';
import { hashContents, workspaceFolders } from './content-hash.mjs';

// Deleting node_modules also causes a fresh install and build.
const MARKS = path.join(ROOT, 'node_modules', '.tollgate');

export const TOOL_ENV = {
  ...process.env,
  CI: 'true',
  CHECKPOINT_DISABLE: '1',
  DO_NOT_TRACK: '1',
  TURBO_TELEMETRY_DISABLED: '1',
  npm_config_loglevel: 'error',
};

/** Returns false if nothing has changed. */
export async function installDependencies(logDir) {
  const manifests = workspaceFolders().map((folder) => path.join(folder, 'package.json'));
  const hash = hashContents(['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]);
  if (existsSync(path.join(ROOT, 'node_modules', '.modules.yaml')) && readMark('install') === hash)
    return false;
  await runPnpm(['install', '--frozen-lockfile', '--prefer-offline'], path.join(logDir, 'install.log'), {
    advice:
      'check that npm can reach its registry (npm ping) and that the disk is not full; a half-made node_modules may be deleted.',
  });
  writeMark('install', hash);
  return true;
}

/** Returns false if no source has changed. */
export async function buildAll(logDir) {
  const folders = workspaceFolders();
  const rootFiles = ['pnpm-lock.yaml', 'turbo.json', 'tsconfig.base.json', '.swcrc'];
  const hash = hashContents([...rootFiles, 'prisma', ...folders]);
  const complete = folders.every((folder) => existsSync(path.join(ROOT, folder, 'dist')));
  if (complete && readMark('build') === hash) return false;
  const args = ['exec', 'turbo', 'run', 'build', '--output-logs=errors-only'];
  await runPnpm(args, path.join(logDir, 'build.log'), {
    advice:
      'correct the error above; after a change of branches, deleting node_modules and .turbo folders helps.',
  });
  writeMark('build', hash);
  return true;
}

/** Watch mode writes into `dist`: the next start builds again. */
export function invalidateBuild() {
  rmSync(path.join(MARKS, 'build'), { force: true });
}

async function runPnpm(args, logFile, { advice }) {
  const command = [`pnpm@${pnpmVersion()}`, ...args];
  const { code, output } = await runCommand('npx', ['--yes', ...command], {
    cwd: ROOT,
    env: TOOL_ENV,
    logFile,
  });
  if (code === 127) throw new StepError('npx is not on PATH.', { advice: 'install npm, which brings npx.' });
  if (code !== 0)
    throw new StepError(`pnpm ${args[0]} ended with code ${code}.`, { logFile, output, advice });
}

/** Pinned in package.json. */
export function pnpmVersion() {
  const { packageManager } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return packageManager.replace('pnpm@', '').split('+')[0];
}

function readMark(name) {
  const file = path.join(MARKS, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function writeMark(name, hash) {
  mkdirSync(MARKS, { recursive: true });
  writeFileSync(path.join(MARKS, name), hash);
}
