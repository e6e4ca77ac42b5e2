import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Whether a program can be started by its name. */
export function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @throws Error that says how to get an absent program */
export function requireOnPath(program: string): void {
  if (path.isAbsolute(program) || isOnPath(program)) return;
  throw new Error(
    `${program} is not on PATH. Install it, or run npm test once, which fetches it into .tollgate/tool/programs`,
  );
}
