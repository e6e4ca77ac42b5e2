import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Data, logs and secrets of an instance: TOLLGATE_HOME, default `.tollgate` in the repository. */
export const HOME = path.resolve(ROOT, process.env.TOLLGATE_HOME || '.tollgate');

/** Shared by all instances of this checkout. */
export const TOOL_DIR = path.join(ROOT, '.tollgate', 'tool');
