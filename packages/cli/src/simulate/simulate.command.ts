import { readFile } from 'node:fs/promises';
import {
  InvalidTraffic,
  type ReplayOptions,
  readRecording,
  replayTraffic,
  type TrafficBlock,
  warmUpOf,
} from '@tollgate/replay';
import { Command } from 'commander';
import { readConfigFile } from '../config-text.js';
import { CommandError, findControlConnection } from '../connection.js';
import { ControlPlane } from '../control-plane.js';
import { MAX_DECIMALS, numberOption } from '../number-option.js';
import { policyOfDocument } from './config-policy.js';
import { hoursOf, simulateOnServer } from './server-simulation.js';
import { formatSimulation, type Simulation, verdictOf } from './simulation.js';

interface Flags {
  recording?: string;
  since: number;
  url?: string;
  token?: string;
  live?: string;
  tier?: string;
  maxDenied?: number;
  maxNewTenants?: number;
  minCoverage?: number;
  price?: number;
  json?: boolean;
}

/** Exit code: 0 within the bounds, 1 a bound is exceeded, 2 the simulation could not run, 3 inconclusive. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description(
      'replay recorded traffic under a draft configuration and count the requests that it would deny',
    )
    .argument('<draft>', 'configuration file, as for tollgate config')
    .option('--since <time>', 'length of the recorded time until now, such as 24h or 7d', hoursOf, 24)
    .option(
      '--url <address>',
      'URL of the GraphQL API; default TOLLGATE_GRAPHQL_URL, then the local instance',
    )
    .option('--token <token>', 'service token that may administer; else TOLLGATE_ADMIN_TOKEN')
    .option(
      '--recording <file>',
      'recording, from tollgate traffic import; default: the traffic that the installation recorded',
    )
    .option(
      '--live <file>',
      'with --recording: configuration in force; default: recorded outcomes, or no limits for an imported log',
    )
    .option(
      '--tier <key>',
      'with --recording: tier of tenants that the configurations do not name; default: their only tier',
    )
    .option('--max-denied <percent>', 'maximum share of newly denied requests', percent)
    .option('--max-new-tenants <n>', 'maximum number of tenants with newly denied requests', whole)
    .option('--min-coverage <percent>', 'minimum share of requests that can be replayed', percent)
    .option('--price <amount>', 'price of a unit, to estimate the value of denied units', price)
    .option('--json', 'print the result as JSON')
    .action(async (draft: string, flags: Flags) => {
      process.exitCode = await simulate(draft, flags);
    });
}

async function simulate(draftFile: string, flags: Flags): Promise<number> {
  const simulation =
    flags.recording === undefined
      ? await simulateOnServer(
          new ControlPlane(findControlConnection(flags)),
          readConfigFile(draftFile).document,
          flags.since,
        )
      : await simulateRecording(draftFile, flags.recording, flags);
  const bounds = {
    maxDenied: flags.maxDenied,
    maxNewTenants: flags.maxNewTenants,
    minCoverage: flags.minCoverage,
  };
  const verdict = verdictOf(simulation, bounds);
  const text = flags.json
    ? JSON.stringify({ ...simulation, verdict }, null, 2)
    : formatSimulation(simulation, verdict, flags.price);
  process.stdout.write(`${text}\n`);
  return { passed: 0, exceeded: 1, inconclusive: 3 }[verdict.kind];
}

async function simulateRecording(
  draftFile: string,
  recording: string,
  { live: liveFile, tier }: Flags,
): Promise<Simulation> {
  const blocks = await readBlocks(recording);
  const tenants = new Set(blocks.flatMap(({ subjects }) => subjects.map(({ tenant }) => tenant)));
  const policyOf = (file: string) => policyOfDocument(readConfigFile(file).document, tenants, tier);
  const draft = policyOf(draftFile);
  const live = liveFile === undefined ? undefined : [policyOf(liveFile)];
  try {
    const { warmUpMs, notWarm } = warmUpOf([draft, ...(live ?? [])], spanMsOf(blocks));
    return runTwice(blocks, { draft, ...(live && { live }), warmUpMs, notWarm }, notWarm);
  } catch (error) {
    throw new CommandError(`The simulation failed: ${(error as Error).message}`, { cause: error });
  }
}

/** Replays a recording of a coarse clock a second time, with the requests of a tick spread over it. */
function runTwice(
  blocks: readonly TrafficBlock[],
  options: ReplayOptions,
  notWarm: readonly string[],
): Simulation {
  const result = replayTraffic(blocks, options);
  if (result.resolutionUs === 1) return { result, spread: null, notWarm };
  return { result, spread: replayTraffic(blocks, { ...options, isSpread: true }), notWarm };
}

async function readBlocks(file: string): Promise<TrafficBlock[]> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}.`, { cause: error });
  });
  try {
    return readRecording(bytes);
  } catch (error) {
    if (error instanceof InvalidTraffic)
      throw new CommandError(`${file}: ${error.message}.`, { cause: error });
    throw error;
  }
}

function spanMsOf(blocks: readonly TrafficBlock[]): number {
  const firstUs = blocks[0]?.atUs[0] ?? 0;
  const lastUs = blocks.reduce((last, { atUs, rows }) => Math.max(last, atUs[rows - 1] ?? 0), firstUs);
  return (lastUs - firstUs) / 1000;
}

const percentage = numberOption({
  ...{ min: 0, max: 100, decimals: MAX_DECIMALS },
  expected: 'a percentage from 0 to 100',
});

/** `0.5%` or `0.5`, as a share of 1. */
const percent = (text: string): number => percentage(text.replace(/%$/, '')) / 100;

const price = numberOption({ min: 0, decimals: MAX_DECIMALS, expected: 'a number such as 0.002' });

const whole = numberOption({ min: 0, max: 999_999_999, expected: 'a whole number' });
