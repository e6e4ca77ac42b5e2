import { standardOutput } from '../src/log-destination.js';

// Writes the requested number of lines, then reports written and dropped lines by IPC and exits.

const destination = standardOutput();
const lines = Number(process.argv[2]);
const line = `${'x'.repeat(99)}\n`;
for (let i = 0; i < lines; i++) {
  destination.write(line);
  if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
}
process.send?.({ written: lines, dropped: destination.droppedLines, errors: destination.writeErrors }, () =>
  process.disconnect(),
);
