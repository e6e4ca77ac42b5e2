import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

// Processes that log to the standard output that the test gives them.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tollgate-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  written: number;
  dropped: number;
  errors: number;
}

function start(stdout: number | 'pipe', lines: number, program = 'noisy.ts'): ChildProcess {
  const args = ['--conditions=tollgate:source', '--experimental-transform-types', '--no-warnings'];
  const loader = `data:text/javascript,import { registerHooks } from 'node:module'; registerHooks({ resolve: (id, context, next) => next(id.replace(/^(\\..*)\\.js$/, '$1.ts'), context) });`;
  const file = fileURLToPath(new URL(program, import.meta.url));
  return spawn(process.execPath, [...args, '--import', loader, file, String(lines)], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  });
}

/** The report of the process after a regular exit. */
async function ended(child: ChildProcess): Promise<Report> {
  const [[report], [code, signal]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  expect([code, signal]).toEqual([0, null]);
  return report as Report;
}

/** A full named pipe whose reading end is open but not read. */
function fullPipe(): { fd: number; close(): void } {
  const file = path.join(folder, 'pipe');
  execFileSync('mkfifo', [file]);
  const both = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(both, Buffer.alloc(4096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'EAGAIN' });
  }
  const fd = openSync(file, constants.O_WRONLY);
  return {
    fd,
    close: () => {
      closeSync(fd);
      closeSync(both);
    },
  };
}

it('writes every line to a working file', async () => {
  const file = path.join(folder, 'log');
  const fd = openSync(file, 'w');
  expect(await ended(start(fd, 1000))).toEqual({ written: 1000, dropped: 0, errors: 0 });
  closeSync(fd);
  expect(readFileSync(file, 'utf8')).toBe(`${'x'.repeat(99)}\n`.repeat(1000));
});

it('keeps running and exits when the device is full', async () => {
  const fd = openSync('/dev/full', 'w');
  const report = await ended(start(fd, 50_000));
  closeSync(fd);
  // A megabyte waits, the rest is dropped.
  expect(report.dropped).toBeGreaterThan(38_000);
  expect(report.errors).toBeGreaterThan(0);
});

it('keeps running and exits when the pipe has no active reader', async () => {
  const pipe = fullPipe();
  const report = await ended(start(pipe.fd, 50_000));
  pipe.close();
  expect(report.dropped).toBeGreaterThan(38_000);
});

it('keeps running and exits when the reader has closed the pipe', async () => {
  const child = start('pipe', 50_000);
  child.stdout?.destroy();
  const report = await ended(child);
  expect(report.errors).toBeGreaterThan(0);
  expect(report.dropped).toBeGreaterThan(0);
});

it('writes the last line once even if the process learns late that it was written', async () => {
  const child = start('pipe', 0, 'late-callback.ts');
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(output.trimEnd().split('\n')).toMatchObject([expect.stringContaining('cannot start')]);
});

it('survives an error in a callback of a library, and exits after one in a callback of ours', async () => {
  const child = start('pipe', 0, 'throwing.ts');
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  expect(await once(child, 'message')).toEqual(['survived', undefined]);
  child.send('throw');
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(
    output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { level: 'error', msg: 'exception in a callback of a library; continuing' },
    { level: 'fatal', msg: 'unexpected error; exiting' },
  ]);
});
