import { readFileSync } from 'node:fs';

const CHECK_EVERY_MS = 500;

/**
 * Calls back when the program that started us is gone: a killed npm cannot pass its end on, and what we started would
 * stay behind. Only under npm or our own wrapper; a script started from a shell may outlive the shell.
 */
export function onStarterGone(callback) {
  if (!process.env.npm_lifecycle_event && !process.env.TOLLGATE_WRAPPED) return;
  const parent = process.ppid;
  const npm = parentOfShell(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOfShell(parent) === npm) return;
    clearInterval(timer);
    callback();
  }, CHECK_EVERY_MS);
  timer.unref();
}

/** npm runs scripts in a shell, which outlives it: then npm is the shell's parent. Undefined without shell or /proc. */
function parentOfShell(pid) {
  try {
    const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return /^(ba|da|z|k)?sh$/.test(name) ? Number(rest.split(' ')[1]) : undefined;
  } catch {
    return undefined;
  }
}
