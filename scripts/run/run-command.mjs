import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';

const running = new Set();

/**
 * Runs a program in its own process group.
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, logFile?: string }} options
 * @returns {Promise<{ code: number, output: string }>} code 127: the program cannot be run
 */
export async function runCommand(command, args, { cwd, env = process.env, logFile, onOutput, onMessage }) {
  const stdio = ['ignore', 'pipe', 'pipe', ...(onMessage === undefined ? [] : ['ipc'])];
  const child = spawn(command, args, { cwd, env, stdio, detached: true });
  if (onMessage !== undefined) child.on('message', onMessage);
  const log = logFile && openLog(logFile);
  let output = '';
  const take = (text) => {
    output += text;
    log?.write(text);
    onOutput?.(text);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
  running.add(child);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      take(`${error.message}\n`);
      resolve(127);
    });
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
  running.delete(child);
  if (log) {
    log.end();
    await finished(log).catch(() => {}); // a full disk loses the log, not the result
  }
  return { code, output };
}

/** Also ends their child processes. */
export function endRunningCommands(signal = 'SIGTERM') {
  for (const { pid } of running) {
    try {
      process.kill(-pid, signal);
    } catch {
      // already ended
    }
  }
}

function openLog(logFile) {
  mkdirSync(path.dirname(logFile), { recursive: true });
  return createWriteStream(logFile, { mode: 0o600 }).on('error', () => {});
}
