import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

it('replaces constants by their values, within their file and its parts', () => {
  expect(
    assembled({
      'sum.lua': '--@include numbers\n--@include half\nreturn a[p + LAST] -- LAST\n',
      'parts/numbers.lua':
        '-- Shared.\nlocal FIRST <const> = 1\nlocal LAST <const> = FIRST + 2 -- explained\n',
      'parts/half.lua': "local HALF <const> = LAST / 2\nlocal a, p = { [FIRST] = 'LAST' }, HALF\n",
    }),
  ).toContain("`local a, p = { [1] = 'LAST' }, ((1 + 2) / 2)\nreturn a[p + (1 + 2)] -- LAST\n`");
});

it.each([
  ['an unknown name', { 'sum.lua': 'return FIRST\n' }, 'src/scripts/sum.lua: not defined: FIRST'],
  [
    'a constant of a part with code',
    {
      'sum.lua': '--@include one\nreturn FIRST\n',
      'parts/one.lua': 'local FIRST <const> = 1\nlocal a = FIRST\n',
    },
    'not defined: FIRST',
  ],
  [
    'a constant that is defined twice',
    { 'sum.lua': 'local FIRST <const> = 1\nlocal FIRST <const> = 2\nreturn FIRST\n' },
    'src/scripts/sum.lua:2: FIRST is defined twice',
  ],
  ['another number of keys', { 'sum-2.lua': 'return KEYS[1]\n' }, 'sum-2.lua: does not use 2 keys'],
  ['a varying number of keys', { 'sum-1.lua': 'return KEYS[1], #KEYS\n' }, 'sum-1.lua: does not use 1 keys'],
])('rejects %s', (_, files, message) => {
  expect(() => assembled(files)).toThrow(message);
});

/** The text that embeds only these files. @throws Error with the assembler's message */
function assembled(files: Record<string, string>): string {
  const folder = mkdtempSync(path.join(copy, 'scripts-'));
  mkdirSync(path.join(folder, 'src/scripts/parts'), { recursive: true });
  mkdirSync(path.join(folder, 'src/generated'));
  for (const [name, text] of Object.entries(files))
    writeFileSync(path.join(folder, 'src/scripts', name), text);
  const tool = path.join(PACKAGE, 'tools/assemble.mjs');
  const { status, stderr } = spawnSync(process.execPath, [tool], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(path.join(folder, 'src/generated/scripts.ts'), 'utf8');
}
