import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLogFile } from './log-file.js';

const TEXT = 'a line of a log\n'.repeat(10_000);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-log-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: Buffer | string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function read(file: string): Promise<{ text: string; share: number }> {
  const log = await openLogFile(file);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of log.chunks) chunks.push(chunk);
    return {
      text: Buffer.concat(chunks).toString(),
      share: log.readBytes() / Math.max(1, log.totalBytes ?? 0),
    };
  } finally {
    await log.close();
  }
}

describe('log file', () => {
  it('is unpacked by its first bytes, not by its name', async () => {
    expect(await read(write('plain.gz', TEXT))).toEqual({ text: TEXT, share: 1 });
    expect(await read(write('packed.log', gzipSync(TEXT)))).toEqual({ text: TEXT, share: 1 });
  });

  it.each([
    ['plain', Buffer.from(TEXT)],
    ['packed', gzipSync(TEXT)],
  ])('may be a pipe: %s', async (_name, content) => {
    const pipe = path.join(folder, 'pipe');
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', pipe]);
    const [{ text, share }] = await Promise.all([read(pipe), writeFile(pipe, content)]);
    expect(text).toBe(TEXT);
    expect(share).toBe(content.length); // of an unknown whole
  });

  it('of several gzip members is read to its end', async () => {
    const file = write('two.gz', Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
    expect((await read(file)).text).toBe('one\ntwo\n');
  });

  it.each([
    ['empty', ''],
    ['of one byte', 'x'],
  ])('that is %s is read', async (_name, text) => {
    expect((await read(write('short', text))).text).toBe(text);
  });

  it('that is cut short fails after what could be read', async () => {
    const packed = gzipSync(TEXT);
    const file = write('cut.gz', packed.subarray(0, packed.length - 20));
    await expect(read(file)).rejects.toThrow('unexpected end of file');
  });

  it('that is absent or a folder fails at once', async () => {
    await expect(openLogFile(path.join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(openLogFile(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
