import { BUILD } from '@tollgate/contracts/environment';
import { Command, CommanderError } from 'commander';
import { backupCommand, restoreCommand } from './backup/backup.command.js';
import { configCommand } from './config/config.command.js';
import { CommandError } from './connection.js';
import { countersCommand } from './counters/counters.command.js';
import { replayCommand } from './replay/replay.command.js';
import { simulateCommand } from './simulate/simulate.command.js';
import { trafficCommand } from './traffic/traffic.command.js';

const USAGE_EXIT_CODE = 2;

/** Runs `tollgate` with these arguments; sets the exit code of the process. */
export async function run(args: readonly string[]): Promise<void> {
  const program = new Command('tollgate')
    .description('Tollgate from the command line')
    .version(`${BUILD.version} (${BUILD.commit})`)
    .exitOverride()
    .addCommand(replayCommand().exitOverride())
    .addCommand(trafficCommand().exitOverride())
    .addCommand(simulateCommand().exitOverride())
    .addCommand(configCommand().exitOverride())
    .addCommand(backupCommand().exitOverride())
    .addCommand(restoreCommand().exitOverride())
    .addCommand(countersCommand().exitOverride());
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // commander already printed the message.
      process.exitCode = error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
    } else if (error instanceof CommandError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = USAGE_EXIT_CODE;
    } else {
      throw error;
    }
  }
}
