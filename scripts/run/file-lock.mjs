import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Takes a lock that belongs to this process and is free again when the process dies, however it dies.
 *
 * @param {string} file
 * @returns {{ release(): void } | { holder: number }} `holder` is the process that has it
 */
export function takeLock(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  const own = JSON.stringify({ pid: process.pid, startedAt: startTime(process.pid) });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    for (;;) {
      if (linked(draft, file)) return { release: () => releaseLock(file, own) };
      const holder = liveHolder(file);
      if (holder !== undefined) return { holder };
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link appears with its content: nobody can read half a lock. */
function linked(draft, file) {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function releaseLock(file, own) {
  if (readText(file) === own) rmSync(file, { force: true });
}

function liveHolder(file) {
  const text = readText(file);
  if (text === undefined) return undefined;
  const { pid, startedAt } = JSON.parse(text);
  return isRunning(pid) && startTime(pid) === startedAt ? pid : undefined;
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Tells a process from a later one with the same id; empty where the system has no /proc. */
function startTime(pid) {
  const stat = readText(`/proc/${pid}/stat`);
  return stat === undefined ? '' : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
