import path from 'node:path';
import { changedPaths, readContents, restoreContents } from './codegen/file-contents.mjs';
import { GENERATORS } from './codegen/generators.mjs';
import { ROOT } from './run/root.mjs';
import { runCommand } from './run/run-command.mjs';
import { StopRequest } from './run/stop-request.mjs';

// pnpm codegen: writes all generated files that are committed. --check: changes nothing, exits with 1 if one is
// outdated.

const checkOnly = process.argv.includes('--check');
const outputs = GENERATORS.flatMap((generator) => generator.outputs);
const before = readContents(outputs);
const stopRequest = new StopRequest();
process.exitCode = await generateAll();

async function generateAll() {
  for (const { name, cwd = '.', args } of GENERATORS) {
    const { code, output } = await runCommand(process.execPath, args, { cwd: path.join(ROOT, cwd) });
    if (code !== 0 || stopRequest.isRequested) {
      console.error(`${name}: the generator ended with code ${code}\n${output}`);
      restoreWhenChecking();
      return 1;
    }
  }
  const changed = changedPaths(before, readContents(outputs));
  restoreWhenChecking();
  report(changed);
  return checkOnly && changed.length > 0 ? 1 : 0;
}

function restoreWhenChecking() {
  if (checkOnly) restoreContents(changedPaths(before, readContents(outputs)), before);
}

function report(changed) {
  if (changed.length === 0) {
    console.log('All generated files are up to date.');
    return;
  }
  console.log(checkOnly ? 'Not what their generators make:' : 'Written:');
  for (const relative of changed) console.log(`  ${relative}`);
  if (checkOnly) console.log('Run `pnpm codegen` and commit the result.');
}
