import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../run/root.mjs';
import { ImageBuild } from './image-build.mjs';

const page = readFileSync(path.join(ROOT, 'docs/operate/install.md'), 'utf8');

describe.each([
  {
    app: 'control-plane',
    folder: '/app/apps/control-plane',
    needs: 'DATABASE_URL',
    others: ['/app/console/index.html', '/app/prisma/migrations', '/app/prisma/seed', '/app/LICENSE'],
  },
  { app: 'decision-api', folder: '/app', needs: 'REDIS_', others: ['/app/LICENSE', '/data'] },
])('the image of $app on a machine with an empty HOME', ({ app, folder, needs, others }) => {
  const image = new ImageBuild(`${app}.Dockerfile`);
  beforeAll(() => image.run());
  afterAll(() => image.remove());

  test('contains what the app loads and serves', () => {
    expect(others.filter((file) => !existsSync(image.file(file)))).toEqual([]);
  });

  test('starts until it misses its settings', async () => {
    const { code, output } = await image.start();
    expect(output).toContain(needs);
    expect(code).not.toBe(0);
  });

  test('contains the versions of the lock file', () => {
    const { packages } = parse(readFileSync(path.join(ROOT, 'pnpm-lock.yaml'), 'utf8'));
    const locked = new Set(Object.keys(packages));
    const installed = readdirSync(image.file(path.join(folder, 'node_modules/.pnpm')))
      .filter((name) => name.includes('@', 1) && !name.startsWith('@tollgate'))
      // `@nestjs+core@12.5.1_peers`
      .map((name) => name.split('_')[0].replaceAll('+', '/'));
    expect(installed.length).toBeGreaterThan(20);
    expect(installed.filter((name) => !locked.has(name))).toEqual([]);
  });

  test('is smaller than the page on installation states', () => {
    const [, limitMb] = new RegExp(`\`${app}\` adds less than (\\d+) MB`).exec(page) ?? [];
    expect(sizeOf(image.file('/app'))).toBeLessThan(Number(limitMb) * 1_000_000);
  });
});

function sizeOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, { name, parentPath }) => sum + statSync(path.join(parentPath, name)).size, 0);
}
