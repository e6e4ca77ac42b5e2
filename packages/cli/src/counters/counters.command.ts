import { readEnvFiles } from '@tollgate/contracts/environment';
import { CounterInspector, type CounterQuery, type InspectedKey } from '@tollgate/decision-plane/operate';
import { Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { CommandError } from '../connection.js';
import { numberOption } from '../number-option.js';
import { keyText } from './key-text.js';

const NOT_FOUND_EXIT_CODE = 1;
const TIMEOUT_MS = 5000;
const envSchema = z.object({ REDIS_COUNTERS_URL: z.string() });

interface Flags {
  tenant?: string;
  allTenants?: true;
  api?: string;
  limit?: string;
  value?: Exclude<CounterQuery['values'], undefined>;
  request?: string;
  url?: string;
  max: number;
  json?: true;
}

export function countersCommand(): Command {
  return new Command('counters').description('Counters in Redis').addCommand(inspectCommand());
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('Show a counter, receipt or pool of the counter Redis, decoded; never writes')
    .argument('[key]', 'key in Redis, for example {acme}:g1:maps:per-minute=u1')
    .option('--tenant <key>', 'the tenant of --limit or --request; of a child, parent/child')
    .option('--all-tenants', 'a limit on all tenants of the API')
    .option('--api <key>', 'the API of --limit')
    .option('--limit <name>', 'all counters of this limit, or those of --value')
    .option(
      '--value <dimension=value>',
      "repeat for each dimension in the limit's order; --value user: missing",
      addValue,
    )
    .option('--request <id>', 'the receipt of this request')
    .option('--url <address>', 'the counter Redis; default REDIS_COUNTERS_URL (or REDIS_COUNTERS_URL_FILE)')
    .option('--max <n>', 'keys to show', positive, 20)
    .option('--json', 'as JSON')
    .exitOverride()
    .action(async (key: string | undefined, flags: Flags) => {
      const selected = selectionOf(key, flags);
      const inspector = await connect(flags.url ?? urlFromEnvironment());
      try {
        await show(await inspectAll(inspector, selected, flags.max), flags.json === true);
      } finally {
        inspector.close();
      }
    });
}

type Selection = { readonly key: string } | { readonly query: CounterQuery };

/** @throws CommandError for a combination of flags that selects nothing */
function selectionOf(key: string | undefined, flags: Flags): Selection {
  const { tenant, allTenants, api, limit, value, request } = flags;
  const given = [key !== undefined, limit !== undefined, request !== undefined].filter(Boolean).length;
  if (given !== 1) {
    throw new CommandError(
      'Select keys by one of: a key, --limit with --tenant and --api, --request with --tenant.',
    );
  }
  if (key !== undefined) return { key };
  if ((tenant === undefined) === (allTenants === undefined)) {
    throw new CommandError(
      'Name the tenant with --tenant, or select a limit on all tenants with --all-tenants.',
    );
  }
  if (request !== undefined) {
    if (tenant === undefined) throw new CommandError('A receipt belongs to a tenant: pass --tenant.');
    return { key: CounterInspector.receiptKey(tenant, request) };
  }
  if (api === undefined || limit === undefined)
    throw new CommandError('Name the API of the limit with --api.');
  const of = { api, limit, ...(value === undefined ? {} : { values: value }) };
  return { query: tenant === undefined ? of : { ...of, tenant } };
}

async function inspectAll(
  inspector: CounterInspector,
  selected: Selection,
  max: number,
): Promise<InspectedKey[]> {
  try {
    const keys = 'key' in selected ? [selected.key] : await inspector.find(selected.query, max);
    const all = await Promise.all(keys.map((one) => inspector.read(one)));
    return all.filter((one) => one !== undefined);
  } catch (error) {
    throw new CommandError(messageOf(error), { cause: error });
  }
}

async function connect(url: string): Promise<CounterInspector> {
  try {
    return await CounterInspector.connect(url, TIMEOUT_MS);
  } catch (error) {
    throw new CommandError(`The counter Redis cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function show(found: readonly InspectedKey[], asJson: boolean): Promise<void> {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  } else if (found.length > 0) {
    process.stdout.write(`${found.map(keyText).join('\n\n')}\n`);
  }
  if (found.length > 0) return;
  process.stderr.write('No such key: the counter is unused, or its usage has expired.\n');
  process.exitCode = NOT_FOUND_EXIT_CODE;
}

function urlFromEnvironment(): string {
  const { env, problems } = readEnvFiles(envSchema, process.env);
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  const parsed = envSchema.safeParse(env);
  if (parsed.success) return parsed.data.REDIS_COUNTERS_URL;
  throw new CommandError('REDIS_COUNTERS_URL is not set: set it as for the decision API, or pass --url.');
}

/** `dimension=value`, or `dimension` for a missing value. */
function addValue(text: string, earlier: Flags['value'] = []): NonNullable<Flags['value']> {
  const at = text.indexOf('=');
  if (at === 0) throw new InvalidArgumentError('Write it as dimension=value.');
  return [...earlier, at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]];
}

const positive = numberOption({ min: 1, max: 999_999, expected: 'a whole number from 1 to 999999' });

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
