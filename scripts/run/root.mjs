import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Where a running copy keeps its data, logs and secrets: TOLLGATE_HOME, default `.tollgate` in the repository. */
export const HOME = path.resolve(ROOT, process.env.TOLLGATE_HOME || '.tollgate');

/** What bootstrap itself needs, shared by all copies of this checkout. */
export const TOOL_DIR = path.join(ROOT, '.tollgate', 'tool');
