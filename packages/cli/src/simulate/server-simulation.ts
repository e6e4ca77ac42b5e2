import { setTimeout as delay } from 'node:timers/promises';
import type { ReplayResult } from '@tollgate/replay';
import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { CommandError } from '../connection.js';
import type { ControlPlane } from '../control-plane.js';
import type { Simulation, SimulationResult } from './simulation.js';

const START = `mutation Start($input: SimulationStartInput!) { simulationStart(input: $input) {
  simulation { id } userErrors { field message } } }`;

const COUNTS = 'decisions baselineDenied draftDenied newlyDenied newlyAllowed';

const FIND = `query Find($id: ID!) { simulation(id: $id) { state message result {
  ${COUNTS} covered warmUp dropped notWarm baseline newlyDeniedUnits subjects newlyDeniedSubjects newlyDeniedTenants
  calibration { compared mismatches otherLimits share } uncovered { reason decisions }
  newlyDeniedCosts { currency amountMinor units }
  limits { apiKey limitName decisions baselineDenied draftDenied newlyDenied newlyDeniedUnits }
  tenants { tenantKey ${COUNTS} examples { at apiKey operation subject { dimension pseudonym } cost limitName retryAfter } }
  series { at decisions baselineDenied draftDenied } reliable } } }`;

const count = z.int();
const denied = { decisions: count, baselineDenied: count, draftDenied: count };
const changed = { newlyDenied: count, newlyAllowed: count };

const exampleSchema = z.object({
  at: z.string(),
  apiKey: z.string(),
  operation: z.string(),
  subject: z.array(z.object({ dimension: z.string(), pseudonym: z.string() })),
  cost: count,
  limitName: z.string().nullable(),
  retryAfter: count.nullable(),
});

const resultSchema = z.object({
  ...denied,
  ...changed,
  reliable: z.boolean(),
  covered: count,
  warmUp: count,
  dropped: count,
  notWarm: z.array(z.string()),
  baseline: z.enum(['LIVE', 'RECORDED', 'NONE']),
  newlyDeniedUnits: count,
  newlyDeniedCosts: z.array(z.object({ currency: z.string(), amountMinor: count, units: count })),
  subjects: count,
  newlyDeniedSubjects: count,
  newlyDeniedTenants: count,
  calibration: z
    .object({ compared: count, mismatches: count, otherLimits: count, share: z.number() })
    .nullable(),
  uncovered: z.array(z.object({ reason: z.string(), decisions: count })),
  limits: z.array(
    z.object({
      apiKey: z.string(),
      limitName: z.string(),
      ...denied,
      newlyDenied: count,
      newlyDeniedUnits: count,
    }),
  ),
  tenants: z.array(
    z.object({ tenantKey: z.string(), ...denied, ...changed, examples: z.array(exampleSchema) }),
  ),
  series: z.array(z.object({ at: z.string(), ...denied })),
});

const startSchema = z.object({
  simulationStart: z.object({
    simulation: z.object({ id: z.string() }).nullable(),
    userErrors: z.array(z.object({ field: z.array(z.string()).nullable(), message: z.string() })),
  }),
});

const findSchema = z.object({
  simulation: z
    .object({ state: z.string(), message: z.string().nullable(), result: resultSchema.nullable() })
    .nullable(),
});

const MAX_HOURS = 168;

/** `24h` or `7d`, in hours. @throws InvalidArgumentError */
export function hoursOf(text: string): number {
  const [, value = '', unit] = /^(\d{1,3})(h|d)$/.exec(text) ?? [];
  const hours = Number(value) * (unit === 'd' ? 24 : 1);
  if (hours >= 1 && hours <= MAX_HOURS) return hours;
  throw new InvalidArgumentError('It must be 1h to 168h, or 1d to 7d.');
}

const POLL_MS = 500;

/** Longer than a simulation may take. */
const TIMEOUT_MS = 900_000;

/**
 * Replays the traffic that the installation recorded by a configuration. @param hours length of the recorded time until now
 * @throws CommandError if the draft is rejected, nothing is recorded, or the simulation fails
 */
export async function simulateOnServer(
  control: ControlPlane,
  document: object,
  hours: number,
): Promise<Simulation> {
  const input = { config: JSON.stringify(document), hours };
  const { simulationStart } = await control.send(START, { input }, startSchema);
  const { simulation, userErrors } = simulationStart;
  if (simulation === null) {
    const problems = userErrors.map(({ field, message }) => [field?.slice(1).join('.'), message]);
    throw new CommandError(problems.map((parts) => parts.filter(Boolean).join(': ')).join('\n'));
  }
  const endMs = Date.now() + TIMEOUT_MS;
  while (Date.now() < endMs) {
    const { simulation: found } = await control.send(FIND, { id: simulation.id }, findSchema);
    if (found?.result) return toSimulation(found.result);
    if (found === null || found.state === 'FAILED' || found.state === 'CANCELED') {
      throw new CommandError(`The simulation ended without a result: ${found?.message ?? 'canceled'}`);
    }
    await delay(POLL_MS);
  }
  throw new CommandError(`The simulation ${simulation.id} takes too long.`);
}

function toSimulation({
  series,
  limits,
  tenants,
  notWarm,
  reliable,
  newlyDeniedCosts: costs,
  ...rest
}: z.infer<typeof resultSchema>): Simulation {
  const { calibration, baseline, uncovered } = rest;
  const result: SimulationResult = {
    ...rest,
    fromMs: null,
    toMs: null,
    resolutionUs: 1,
    missingBlocks: 0,
    uncovered: uncovered as ReplayResult['uncovered'],
    calibration: calibration && { ...calibration, isReliable: reliable },
    baseline: baseline.toLowerCase() as ReplayResult['baseline'],
    limits: limits.map(({ apiKey, limitName, ...counts }) => ({ api: apiKey, limit: limitName, ...counts })),
    tenants: tenants.map(({ tenantKey, examples, ...counts }) => ({
      tenant: tenantKey,
      ...counts,
      examples: examples.map(({ at, apiKey, limitName, subject, ...example }) => ({
        ...example,
        atMs: Date.parse(at),
        api: apiKey,
        limit: limitName,
        subject: Object.fromEntries(subject.map(({ dimension, pseudonym }) => [dimension, pseudonym])),
      })),
    })),
    minutes: series.map(({ at, ...counts }) => ({ atMs: Date.parse(at), ...counts })),
  };
  return { result, spread: null, notWarm, costs };
}
