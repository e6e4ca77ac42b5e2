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

/**
 * Returns false if nothing has changed. Never removes the packages of tools.
 * @param {{ tools: boolean, onOutput: (text: string) => void }} options `tools`: whether to install devDependencies
 */
export async function installDependencies(logDir, { tools, onOutput }) {
  const manifests = workspaceFolders().map((folder) => path.join(folder, 'package.json'));
  const hash = hashContents(['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]);
  const isInstalled = existsSync(path.join(ROOT, 'node_modules', '.modules.yaml'));
  const mark = readMark('dependencies');
  if (isInstalled && (mark === `${hash} tools` || (mark === hash && !tools))) return false;
  // Without a mark, somebody else has installed.
  const withTools = tools || (isInstalled && (mark === undefined || mark.endsWith(' tools')));
  const visible = ['--reporter=append-only', '--loglevel=info'];
  const args = [
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    ...visible,
    ...(withTools ? [] : ['--prod']),
  ];
  await runPnpm(args, path.join(logDir, 'install.log'), {
    onOutput,
    advice:
      'check that npm can reach its registry (npm ping) and that the disk is not full; a half-made node_modules may be deleted.',
  });
  writeMark('dependencies', withTools ? `${hash} tools` : hash);
  return true;
}

/** Hash of all sources; undefined if they are built. */
export function findUnbuilt() {
  const folders = workspaceFolders();
  const rootFiles = ['pnpm-lock.yaml', 'turbo.json', 'tsconfig.base.json', '.swcrc'];
  const hash = hashContents([...rootFiles, 'prisma', ...folders]);
  const complete = folders.every((folder) => existsSync(path.join(ROOT, folder, 'dist')));
  return complete && readMark('build') === hash ? undefined : hash;
}

/** @param {string[]} [filters] of turbo, such as `!@tollgate/console`; default: all packages */
export async function build(logFile, filters = []) {
  const selected = filters.map((filter) => `--filter=${filter}`);
  await runPnpm(['exec', 'turbo', 'run', 'build', '--output-logs=errors-only', ...selected], logFile, {
    advice:
      'correct the error above; after a change of branches, deleting node_modules and .turbo folders helps.',
  });
}

/** @param {string} hash of `findUnbuilt`, before all packages were built */
export function markBuilt(hash) {
  writeMark('build', hash);
}

/** Watch mode writes into `dist`: the next start builds again. */
export function invalidateBuild() {
  rmSync(path.join(MARKS, 'build'), { force: true });
}

async function runPnpm(args, logFile, { advice, onOutput }) {
  const command = [`pnpm@${pnpmVersion()}`, ...args];
  const { code, output } = await runCommand('npx', ['--yes', ...command], {
    cwd: ROOT,
    env: TOOL_ENV,
    logFile,
    onOutput,
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
