#!/usr/bin/env node

const OLDEST_MAJOR = 20;

/** Neither a limit that is exceeded nor wrong usage: `EX_SOFTWARE` of sysexits. */
const FAULT_EXIT_CODE = 70;

const fail = (error: unknown): never => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(FAULT_EXIT_CODE);
};

// Node ends with 1 otherwise, which means “limit exceeded”.
process.on('uncaughtException', fail);

if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  process.stderr.write(`tollgate needs Node ${OLDEST_MAJOR} or newer; this is ${process.versions.node}.\n`);
  process.exit(FAULT_EXIT_CODE);
}
// Imported later, because a missing module is a fault too.
const { run } = await import('./program.js').catch(fail);
await run(process.argv.slice(2)).catch(fail);
