import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchTree } from './watch.mjs';

let root;
let tree;
let changed;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'watch-'));
  mkdirSync(path.join(root, 'a'));
  writeFileSync(path.join(root, 'a/file.ts'), '0');
  changed = new Set();
  tree = watchTree(root, (file) => changed.add(path.relative(root, file)));
});

afterEach(() => {
  tree.close();
  rmSync(root, { recursive: true });
});

const reported = async (file) => {
  await expect.poll(() => changed).toContain(file);
  changed.clear();
};

test('reports a file each time an editor replaces it by renaming', async () => {
  for (const text of ['1', '2', '3']) {
    writeFileSync(path.join(root, 'a/file.ts~'), text);
    renameSync(path.join(root, 'a/file.ts~'), path.join(root, 'a/file.ts'));
    await reported('a/file.ts');
  }
});

test('reports files of new and recreated folders, and deleted files', async () => {
  for (let round = 0; round < 2; round++) {
    mkdirSync(path.join(root, 'b/c'), { recursive: true });
    writeFileSync(path.join(root, 'b/c/new.ts'), '1');
    await reported('b/c/new.ts');
    writeFileSync(path.join(root, 'b/c/new.ts'), '2');
    await reported('b/c/new.ts');
    rmSync(path.join(root, 'b'), { recursive: true });
    await reported('b/c/new.ts');
  }
});
