import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that only the owner can read; readers see the old content or the new one, never half. */
export function writePrivateJson(file, value) {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** The content of a JSON file; undefined when there is no such file. */
export function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
