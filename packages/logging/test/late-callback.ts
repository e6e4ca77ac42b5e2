import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Fails at start and, as on a busy machine, learns late that its last line was written.

const LATE_MS = 600;

const write = fs.write as (...args: unknown[]) => void;
fs.write = ((...args: unknown[]) => {
  const done = args.pop() as (...of: unknown[]) => void;
  write(...args, (...of: unknown[]) => setTimeout(done, LATE_MS, ...of));
}) as typeof fs.write;
syncBuiltinESMExports();

const { createLogger } = await import('../src/logger.js');
const { runProgram, StartError } = await import('../src/program.js');
runProgram(createLogger({ service: 'late', level: 'info' }), () =>
  Promise.reject(new StartError('cannot start')),
);
