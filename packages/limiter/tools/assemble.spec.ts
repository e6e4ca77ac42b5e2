import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PACKAGE = path.join(import.meta.dirname, '..');
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'tollgate-lua-'));
  for (const folder of ['tools', 'src/scripts', 'src/generated']) {
    cpSync(path.join(PACKAGE, folder), path.join(copy, folder), { recursive: true });
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const assemble = (...args: string[]) =>
  spawnSync(process.execPath, ['tools/assemble.mjs', ...args], { cwd: copy, encoding: 'utf8' });

it('fails the build after a Lua edit until the scripts are embedded again', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(PACKAGE, 'package.json'), 'utf8'));
  expect(scripts.build).toMatch(/^node tools\/assemble\.mjs --check && /);
  expect(assemble('--check')).toMatchObject({ status: 0, stderr: '' });

  appendFileSync(path.join(copy, 'src/scripts/decide.lua'), '-- edited\n');
  const stale = assemble('--check');
  expect(stale.status).toBe(1);
  expect(stale.stderr).toContain('Run `pnpm codegen`');

  expect(assemble().status).toBe(0);
  expect(assemble('--check').status).toBe(0);
});
