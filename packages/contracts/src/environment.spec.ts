import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readEnvFiles } from './environment.js';

const folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const schema = z.object({
  KEY: z.string().optional(),
  PORT: z.string().optional(),
});

function fileWith(content: string): string {
  const file = path.join(folder, randomUUID());
  writeFileSync(file, content);
  return file;
}

describe('readEnvFiles', () => {
  it('reads variables from files without the line end', () => {
    const { env, problems } = readEnvFiles(schema, { KEY_FILE: fileWith('hunter2\n'), PORT: '1' });
    expect(env).toMatchObject({ KEY: 'hunter2', PORT: '1' });
    expect(problems).toEqual([]);
  });

  it('reads an empty file as a variable that is not set', () => {
    expect(readEnvFiles(schema, { KEY_FILE: fileWith('\n') }).env.KEY).toBe('');
  });

  it('rejects a variable that is set twice and a file that cannot be read, by name', () => {
    const twice = readEnvFiles(schema, { KEY: 'hunter2', KEY_FILE: fileWith('hunter3') });
    expect(twice.problems).toEqual(['KEY and KEY_FILE are both set: remove one of them']);
    const missing = readEnvFiles(schema, { KEY_FILE: path.join(folder, 'hunter4') });
    expect(missing.problems).toEqual(['KEY_FILE cannot be read (ENOENT)']);
  });
});
