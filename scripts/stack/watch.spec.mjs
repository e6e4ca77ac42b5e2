import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchTree } from './watch.mjs';

test('reports files that an editor replaces by renaming, also in new folders', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'watch-'));
  const changed = new Set();
  const tree = watchTree(root, (file) => changed.add(path.relative(root, file)));
  onTestFinished(() => {
    tree.close();
    rmSync(root, { recursive: true });
  });
  mkdirSync(path.join(root, 'a/b'), { recursive: true });
  for (const text of ['1', '2']) {
    changed.clear();
    writeFileSync(path.join(root, 'a/b/file.ts~'), text);
    renameSync(path.join(root, 'a/b/file.ts~'), path.join(root, 'a/b/file.ts'));
    await expect.poll(() => changed).toContain('a/b/file.ts');
  }
});
