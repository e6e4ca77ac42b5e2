import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import {
  type ConfigText,
  countObjects,
  describeDifference,
  listProblems,
  readConfigFile,
  writeConfigText,
} from '../config-text.js';
import { CommandError, findControlConnection } from '../connection.js';
import { type ApplyOptions, type ConfigOutcome, ControlPlane } from '../control-plane.js';
import { parseGuard } from '../guard-terms.js';
import { Progress } from '../progress.js';
import { formatTookMs } from '../replay/report-text.js';
import { hoursOf, simulateOnServer } from '../simulate/server-simulation.js';
import { formatSimulation, verdictOf } from '../simulate/simulation.js';

const ERROR_EXIT_CODE = 1;
const CHANGES_EXIT_CODE = 2;

interface Flags {
  url?: string;
  token?: string;
  json?: boolean;
  offline?: boolean;
  output?: string;
  tenants?: boolean;
  yes?: boolean;
  selectTag?: string;
  reason?: string;
  guard?: string;
  simulate?: number;
}

const GUARD_HELP =
  'revert tier versions automatically if denials rise, such as rise=1,decisions=1000,minutes=30 (the defaults)';

/** `tollgate config`: exit code 0; 1 on failure; for `diff`, 2 if there are changes. */
export function configCommand(): Command {
  const command = new Command('config').description('keep APIs, tiers, offers and tenants in a file');
  const add = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .exitOverride()
      .option(
        '--url <address>',
        'URL of the GraphQL API; default TOLLGATE_GRAPHQL_URL, then the local instance',
      )
      .option('--token <token>', 'service token that may administer; else TOLLGATE_ADMIN_TOKEN');
  add('pull', 'export the current configuration as YAML')
    .option('-o, --output <file>', 'to a file instead of standard output')
    .option('--no-tenants', 'without tenants')
    .action((flags: Flags) => run(() => pull(flags)));
  add('validate', 'validate a file against its schema and the current configuration')
    .argument('<file>')
    .option('--offline', 'validate against the schema only')
    .action((file: string, flags: Flags) => run(() => validate(file, flags)));
  add('diff', 'show the changes that applying a file would make')
    .argument('<file>')
    .option('--simulate <time>', 'also replay the traffic recorded in this time, such as 24h or 7d', hoursOf)
    .option('--json', 'as JSON')
    .action((file: string, flags: Flags) => run(() => diff(file, flags)));
  add('apply', 'create and update everything in a file; delete nothing')
    .argument('<file>')
    .option('--guard <terms>', GUARD_HELP)
    .option('--reason <text>', 'why, for the audit trail')
    .option('--json', 'as JSON')
    .action((file: string, flags: Flags) => run(() => put(file, flags, 'APPLY')));
  add('sync', 'like apply, and delete managed objects that the file does not contain')
    .argument('<file>')
    .option('--select-tag <tag>', 'delete only objects with this tag')
    .option('--yes', 'do not ask')
    .option('--guard <terms>', GUARD_HELP)
    .option('--reason <text>', 'why, for the audit trail')
    .option('--json', 'as JSON')
    .action((file: string, flags: Flags) => run(() => sync(file, flags)));
  return command;
}

async function run(work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = ERROR_EXIT_CODE;
  }
}

async function pull(flags: Flags): Promise<number> {
  const text = writeConfigText(await connect(flags).pull(flags.tenants !== false));
  if (flags.output === undefined) process.stdout.write(text);
  else writeFileSync(flags.output, text);
  return 0;
}

async function validate(file: string, flags: Flags): Promise<number> {
  const text = readConfigFile(file);
  if (flags.offline !== true) await applyFile(file, text, flags, { mode: 'APPLY', dryRun: true });
  process.stdout.write(`${file} is valid.\n`);
  return 0;
}

async function diff(file: string, flags: Flags): Promise<number> {
  const text = readConfigFile(file);
  const outcome = await applyFile(file, text, flags, { mode: 'APPLY', dryRun: true });
  const simulation =
    flags.simulate === undefined || outcome.changes.length === 0
      ? undefined
      : await simulateOnServer(connect(flags), text.document, flags.simulate);
  const isJson = flags.json === true;
  if (isJson && simulation) process.stdout.write(`${JSON.stringify({ ...outcome, simulation })}\n`);
  else print(outcome, flags, 'No difference.');
  if (!isJson && simulation) {
    const verdict = verdictOf(simulation, UNBOUNDED);
    process.stdout.write(`\n${formatSimulation(simulation, verdict, undefined)}\n`);
  }
  return outcome.changes.length === 0 ? 0 : CHANGES_EXIT_CODE;
}

/** Shows the effect without judging it. */
const UNBOUNDED = { maxDenied: undefined, maxNewTenants: undefined, minCoverage: undefined };

async function put(file: string, flags: Flags, mode: ApplyOptions['mode']): Promise<number> {
  const { selectTag, reason } = flags;
  const guard = flags.guard === undefined ? undefined : parseGuard(flags.guard);
  const options = { mode, dryRun: false, selectTag, reason, guard };
  const outcome = await applyFile(file, readConfigFile(file), flags, options);
  print(outcome, flags, 'Nothing to change.');
  return 0;
}

async function sync(file: string, flags: Flags): Promise<number> {
  if (flags.yes !== true) {
    const { selectTag } = flags;
    const outcome = await applyFile(file, readConfigFile(file), flags, {
      mode: 'SYNC',
      dryRun: true,
      selectTag,
    });
    if (outcome.changes.length > 0) {
      print(outcome, { ...flags, json: false }, '');
      if (!(await confirm()))
        throw new CommandError('Nothing was changed. Use --yes to apply without confirmation.');
    }
  }
  return put(file, flags, 'SYNC');
}

async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Do this? (yes/no) ');
  prompt.close();
  return answer.trim().toLowerCase() === 'yes';
}

/** @throws CommandError with each problem and its position */
async function applyFile(
  file: string,
  text: ConfigText,
  flags: Flags,
  options: ApplyOptions,
): Promise<ConfigOutcome> {
  const outcome = await withProgress(
    `${options.dryRun ? 'Comparing' : 'Applying'} ${countObjects(text.document)}`,
    connect(flags).apply(text.document, options),
  );
  if (outcome.userErrors.length === 0) return outcome;
  const problems = outcome.userErrors.map(({ field, message }) => {
    const path = field?.[0] === 'document' ? field.slice(1) : [];
    return {
      ...text.positionOf(path),
      message: [path.join('.'), message].filter((part) => part !== '').join(': '),
    };
  });
  throw new CommandError(listProblems(file, problems));
}

async function withProgress<T>(title: string, work: Promise<T>): Promise<T> {
  const startMs = performance.now();
  const progress = new Progress(
    process.stderr,
    () => `${title}: ${formatTookMs(performance.now() - startMs)}`,
  );
  try {
    return await work;
  } finally {
    progress.end();
  }
}

function connect(flags: Flags): ControlPlane {
  return new ControlPlane(findControlConnection(flags));
}

const indent = (line: string) => `    ${line}`;

const SIGNS: Record<string, string> = { CREATE: '+', UPDATE: '~', ADOPT: '=', DELETE: '-', ARCHIVE: '-' };

function print(outcome: ConfigOutcome, flags: Flags, nothing: string): void {
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
    return;
  }
  const lines = outcome.changes.flatMap(({ action, path, fields }) => [
    `${SIGNS[action] ?? '?'} ${path}${action === 'ADOPT' ? ': managed by this file from now on' : ''}`,
    ...(action === 'UPDATE'
      ? fields.flatMap(({ field, before, after }) => describeDifference(field, before, after)).map(indent)
      : []),
  ]);
  const { impact } = outcome;
  if (impact !== null)
    lines.push(
      `Tenants concerned: ${impact.tenants}; ${impact.increased} increased, ${impact.decreased} decreased`,
    );
  process.stdout.write(`${lines.length === 0 ? nothing : lines.join('\n')}\n`);
}
