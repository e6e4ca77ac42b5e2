import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A lock that is free again when this process dies. @returns {{ release(): void } | { holder: number }} process id */
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
      removeDeadLock(file);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link appears with its content. */
function linked(draft, file) {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Another process may have replaced the lock since it was read: then it is put back. */
function removeDeadLock(file) {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return; // somebody else has removed it
    throw error;
  }
  if (liveHolder(aside) !== undefined) linked(aside, file);
  rmSync(aside, { force: true });
}

function releaseLock(file, own) {
  if (readText(file) === own) rmSync(file, { force: true });
}

function liveHolder(file) {
  try {
    const { pid, startedAt } = JSON.parse(readText(file) ?? '{}');
    return isRunning(pid) && startTime(pid) === startedAt ? pid : undefined;
  } catch {
    return undefined; // torn by a crash of the machine: its holder is gone
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Distinguishes processes with the same id; empty without /proc. */
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
