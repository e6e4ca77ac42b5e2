import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findPackage, wrapperText } from './programs.mjs';

const home = mkdtempSync(path.join(tmpdir(), "tollgate-program's-"));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const WANTED = { programs: ['one', 'two'], version: ['--version', /v2\./] };

/** A folder with programs that run shell commands. */
function folderOf(name, programs) {
  const folder = path.join(home, name);
  mkdirSync(folder, { recursive: true });
  for (const [program, command] of Object.entries(programs))
    writeFileSync(path.join(folder, program), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  return { folder };
}

it('finds each program in the first folder with the wanted version', async () => {
  const old = folderOf('old', { one: 'echo v1.9', two: 'echo v2.1' });
  const broken = folderOf('broken', { one: 'echo a library is missing >&2; exit 127' });
  const recent = { ...folderOf('recent', { one: 'echo v2.0 >&2', two: 'echo v2.0' }), libraries: '/lib' };
  expect(await findPackage(WANTED, [{ folder: '/absent' }, old, broken, recent])).toEqual([
    { program: 'one', file: path.join(recent.folder, 'one'), libraries: '/lib' },
    { program: 'two', file: path.join(old.folder, 'two') },
  ]);
});

it('finds no package without one of its programs', async () => {
  expect(await findPackage(WANTED, [folderOf('half', { one: 'echo v2.0' })])).toBeUndefined();
});

it('starts a program with its arguments and libraries', () => {
  const { folder } = folderOf('shown', { shown: 'echo "$1|$2|$LD_LIBRARY_PATH"' });
  const target = { file: path.join(folder, 'shown'), libraries: '/first:/second' };
  folderOf('wrappers', { wrapper: wrapperText(target) });
  const output = execFileSync(path.join(home, 'wrappers', 'wrapper'), ['a b', 'c'], { encoding: 'utf8' });
  expect(output).toBe('a b|c|/first:/second\n');
});
