import { Float, InputType, ObjectType } from '@nestjs/graphql';
import { MAX_CONFIG_BYTES, tenantKeySchema } from '@tollgate/contracts';
import type { ReplayResult } from '@tollgate/replay';
import * as z from 'zod';
import { withDefault } from '../../../platform/changes/outcome.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  enumOf,
  field,
  InputOf,
  idField,
  NestedInput,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { JsonObject } from '../../../platform/graphql/scalars.js';
import { kindOfId } from '../../../platform/ids.js';
import { SimulationState } from '../../../platform/prisma/schema.js';

registerEnum(SimulationState, 'SimulationState', 'State of a simulation.', {
  WAITING: 'Starts as soon as a worker is free.',
  RUNNING: 'A worker replays the recording.',
  DONE: 'It has a result.',
  FAILED: 'It has a `message` instead of a result.',
  CANCELED: 'Canceled.',
});

export const SimulationBaseline = enumOf<'LIVE' | 'RECORDED' | 'NONE'>(
  'SimulationBaseline',
  'Decisions that a draft is compared with.',
  {
    LIVE: 'Of the present policy, replayed.',
    RECORDED: 'As recorded.',
    NONE: 'No limits.',
  },
);

const share = (description: string) => field.as<number>(() => Float, description);

@ObjectType({ description: 'How well the policies in force reproduce recorded outcomes.' })
export class SimulationCalibration extends ObjectOf({
  compared: field.safeInt('Compared decisions.'),
  mismatches: field.safeInt('Allowed instead of denied, or the reverse.'),
  otherLimits: field.safeInt('Denied by another of several full limits; not a mismatch.'),
  share: share('Mismatches ÷ compared, 0 to 1.'),
}) {}

@ObjectType({ description: 'Decisions that the replay cannot reproduce, which are not compared.' })
export class SimulationUncovered extends ObjectOf({
  reason: field.string('Reason, such as `leased` or `degraded`.'),
  decisions: field.safeInt('Number of decisions.'),
}) {}

@ObjectType({ description: 'Decisions by one limit.' })
export class SimulationLimit extends ObjectOf({
  apiKey: field.string('Key of the API.'),
  limitName: field.string('Name of the limit.'),
  decisions: field.safeInt("Compared decisions on operations that the draft's limit covers."),
  baselineDenied: field.safeInt('Denied by the baseline.'),
  draftDenied: field.safeInt('Denied by the draft.'),
  newlyDenied: field.safeInt('Denied by the draft only.'),
  newlyDeniedUnits: field.safeInt('Units of these.'),
}) {}

@ObjectType({ description: 'Price of newly denied units in one currency.' })
export class SimulationCost extends ObjectOf({
  currency: field.string('ISO 4217 code of the currency.'),
  amountMinor: field.safeInt('Their price at most, in the smallest unit of the currency.'),
  units: field.safeInt('Newly denied units with a price in this currency.'),
  offerKeys: field
    .string(
      'Keys of the top-ups whose prices were used: for each quota, the one with the highest price of a unit.',
    )
    .list(),
}) {}

@ObjectType({ description: 'A dimension value of a recorded request.' })
export class SimulationSubject extends ObjectOf({
  dimension: field.string('Dimension.'),
  pseudonym: field.string('Keyed hash of the value.'),
}) {}

@ObjectType({ description: 'A request that only the draft denies.' })
export class SimulationExample extends ObjectOf({
  at: field.dateTime('Time of the decision.'),
  apiKey: field.string('Key of the API.'),
  operation: field.string('Operation.'),
  subject: field
    .of(() => SimulationSubject, 'Who called.')
    .list()
    .usualLength(2),
  cost: field.int('Units.'),
  limitName: field.string('Limit that denies it; null if the draft blocks the request.').nullable(),
  retryAfter: field.int('Seconds until it would be allowed; null for never.').nullable(),
}) {}

@ObjectType({ description: 'Decisions of one tenant.' })
export class SimulationTenant extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  tenantName: field.string('Name of the tenant.'),
  decisions: field.safeInt('Compared decisions.'),
  baselineDenied: field.safeInt('Denied by the baseline.'),
  draftDenied: field.safeInt('Denied by the draft.'),
  newlyDenied: field.safeInt('Denied by the draft only.'),
  newlyAllowed: field.safeInt('Denied by the baseline only.'),
  examples: field
    .of(() => SimulationExample, 'The first newly denied requests, at most three.')
    .list()
    .usualLength(3),
}) {}

@ObjectType({ description: 'Decisions of a step of a series.' })
export class SimulationStep extends ObjectOf({
  at: field.dateTime('Start.'),
  decisions: field.safeInt('Compared decisions.'),
  baselineDenied: field.safeInt('Denied by the baseline.'),
  draftDenied: field.safeInt('Denied by the draft.'),
}) {}

@ObjectType({
  description: 'Result of a simulation. Counts are of covered decisions after the warm-up, unless stated.',
})
export class SimulationResult extends ObjectOf({
  reliable: field.boolean(
    'Whether the policies in force reproduce recorded outcomes with at most 0.5 % mismatches; otherwise the other numbers prove little.',
  ),
  calibration: field
    .of(() => SimulationCalibration, 'Comparison with recorded outcomes; null without any.')
    .nullable(),
  decisions: field.safeInt('All decisions after the warm-up, covered or not.'),
  covered: field.safeInt('Decisions that are compared.'),
  uncovered: field.of(() => SimulationUncovered, 'The others, by reason.').list(),
  warmUp: field.safeInt('Decisions that only charged counters.'),
  dropped: field.safeInt('Decisions that nodes did not record for lack of space.'),
  notWarm: field
    .string('Limits, `api/name`, with a window too long for the recording: too few denials.')
    .list(),
  baseline: field.of(() => SimulationBaseline, 'What the draft is compared with.'),
  baselineDenied: field.safeInt('Denied by the baseline.'),
  draftDenied: field.safeInt('Denied by the draft.'),
  newlyDenied: field.safeInt('Denied by the draft only.'),
  newlyDeniedUnits: field.safeInt('Units of these; times a price, an upper bound of lost revenue.'),
  newlyDeniedCosts: field
    .of(
      () => SimulationCost,
      'Price of the newly denied units of quotas, at the present prices of top-ups. A quota that is sold in several currencies is in each.',
    )
    .list()
    .usualLength(1),
  unpricedUnits: field.safeInt('Newly denied units that no top-up on sale adds to their limit.'),
  newlyAllowed: field.safeInt('Denied by the baseline only.'),
  subjects: field.safeInt('Different subjects.'),
  newlyDeniedSubjects: field.safeInt('Those with newly denied requests.'),
  newlyDeniedTenants: field.safeInt('Tenants with newly denied requests.'),
  limits: field.of(() => SimulationLimit, 'Limits that deny, most denials first; at most 100.').list(),
  tenants: field
    .of(() => SimulationTenant, 'Newly affected tenants by their first denial, then others; at most 100.')
    .list()
    .usualLength(20),
  stepMinutes: field.int('Minutes per step.'),
  series: field
    .of(() => SimulationStep, 'Steps with decisions, at most 360.')
    .list()
    .usualLength(60),
}) {}

@ObjectType({ description: 'A replay of recorded traffic by the policy of a draft.' })
export class Simulation extends ObjectOf({
  id: field.id('Id.'),
  state: field.of(() => SimulationState, 'State.'),
  revision: field.int('Newest policy revision when it was requested.'),
  from: field.dateTime('Start of the recorded time.'),
  to: field.dateTime('Its end: the last decision recorded when the simulation was requested.'),
  decisions: field.safeInt('Recorded decisions.'),
  replayed: field.safeInt('Decisions replayed so far.'),
  message: field.string('Why it failed; null otherwise.').nullable(),
  requestedBy: field.string('Who requested it first.'),
  createdAt: field.dateTime('When.'),
  endedAt: field.dateTime('When it ended; null before.').nullable(),
  result: field.of(() => SimulationResult, 'The result; null unless DONE.').nullable(),
}) {}

const MAX_HOURS = 168;
const MAX_CHANGES = 50;
const MAX_TENANTS = 100;

const changeSchema = z.object({
  command: z.string().max(80).describe('Name of a mutation of `changeSetCommands`.'),
  input: z.record(z.string(), z.unknown()).meta({
    graphql: () => JsonObject,
    description: 'Its input; `expectedVersion`, `dryRun` and `force` have no effect.',
  }),
});

@NestedInput(changeSchema)
@InputType({ description: 'A mutation that belongs to the draft.' })
export class SimulationChangeInput extends InputOf(changeSchema) {}

export const simulationStartSchema = z.object({
  changes: z
    .array(changeSchema)
    .min(1)
    .max(MAX_CHANGES)
    .nullish()
    .describe('The draft as mutations, in order.'),
  changeSetId: idField('The draft as a change set.').nullish(),
  config: z
    .string()
    .max(MAX_CONFIG_BYTES, `A configuration has ${MAX_CONFIG_BYTES} characters at most`)
    .nullish()
    .describe('The draft as a configuration: JSON text, as for `configApply`.'),
  hours: withDefault(
    z
      .int()
      .min(1, 'At least one hour')
      .max(MAX_HOURS, `At most ${MAX_HOURS} hours`)
      .describe('Length of the recorded time until now.'),
    24,
  ),
  tenantKeys: withDefault(
    z
      .array(tenantKeySchema)
      .max(MAX_TENANTS, `At most ${MAX_TENANTS} tenants`)
      .describe('Only traffic of these tenants; default: of all.'),
    [],
  ),
});

@InputType({ description: 'The draft and the recorded time of a simulation; exactly one form of the draft.' })
export class SimulationStartInput extends InputOf(simulationStartSchema, MutationInput) {}

export const simulationTargetSchema = z.object({
  id: idField('The simulation.').refine((id) => kindOfId(id) === 'simulation', 'Not the id of a simulation'),
});

@InputType({ description: 'The simulation to cancel.' })
export class SimulationCancelInput extends InputOf(simulationTargetSchema, MutationInput) {}

@ObjectType({ description: 'A requested simulation.' })
export class SimulationPayload extends ObjectOf(MutationPayload, {
  simulation: field
    .of(
      () => Simulation,
      'The simulation; an earlier one of the same draft if it is recent; null after a dry run without one.',
    )
    .nullable(),
}) {}

export const baselineOf = (baseline: ReplayResult['baseline']) =>
  SimulationBaseline[baseline.toUpperCase() as Uppercase<typeof baseline>];
