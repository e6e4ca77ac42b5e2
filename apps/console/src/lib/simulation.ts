import { queryOptions } from '@tanstack/react-query';
import type { SimulationProgressSubscriptionVariables, SimulationQuery } from '../generated/graphql.js';
import { graphql } from '../generated/index.js';
import { graphqlRequest, throwUserErrors } from './graphql-request.js';
import { sendMutation } from './mutation.js';
import type { MutationCall } from './mutation-text.js';
import { subscribe } from './streams.js';

const SimulationStartDocument = graphql(`
  mutation SimulationStart($input: SimulationStartInput!) {
    simulationStart(input: $input) { simulation { id } userErrors { code field message } }
  }
`);

const SimulationCancelDocument = graphql(`
  mutation SimulationCancel($input: SimulationCancelInput!) {
    simulationCancel(input: $input) { simulation { id } userErrors { code field message } }
  }
`);

graphql(`
  fragment SimulationFields on Simulation {
    id state from to decisions replayed message
    result {
      reliable decisions covered notWarm baselineDenied draftDenied
      newlyDenied newlyAllowed newlyDeniedTenants subjects newlyDeniedSubjects stepMinutes unpricedUnits
      newlyDeniedCosts { currency amountMinor }
      calibration { compared share }
      uncovered { reason decisions }
      limits { apiKey limitName decisions baselineDenied draftDenied }
      tenants {
        tenantKey tenantName decisions newlyDenied newlyAllowed
        examples { at operation limitName retryAfter }
      }
      series { at baselineDenied draftDenied }
    }
  }
`);

const SimulationDocument = graphql(`
  query Simulation($id: ID!) { simulation(id: $id) { ...SimulationFields } }
`);

const SimulationProgressDocument = graphql(`
  subscription SimulationProgress($id: ID!) { simulationProgress(id: $id) { ...SimulationFields } }
`);

export type Simulation = NonNullable<SimulationQuery['simulation']>;
export type SimulationResult = NonNullable<Simulation['result']>;

/** A draft of which the server computes the effect on recorded traffic. */
export type SimulatedDraft = { changes: readonly MutationCall[] } | { changeSetId: string };

/** Mutations that change limits of recorded requests. */
const SIMULATED: ReadonlySet<string> = new Set([
  'apiDefaultLimitsSet',
  'boostEnd',
  'boostStart',
  'overrideRemove',
  'overrideSet',
  'tenantTierChange',
  'tierPublish',
]);

export const canSimulate = ({ mutation }: MutationCall): boolean => SIMULATED.has(mutation);

/** Requests a simulation and returns its id. @throws UserErrorsError for an invalid draft, or without a recording */
export async function startSimulation(draft: SimulatedDraft, hours: number): Promise<string> {
  const source =
    'changes' in draft
      ? { changes: draft.changes.map(({ mutation, input }) => ({ command: mutation, input: atOnce(input) })) }
      : draft;
  const started = await sendMutation(SimulationStartDocument, { ...source, hours });
  throwUserErrors(started);
  return started.simulation?.id ?? '';
}

/** A publication as if all tenants had it at once: the question is its effect on the past. */
function atOnce(input: object): Record<string, unknown> {
  const { audience, guard: _, ...rest } = input as Record<string, unknown>;
  return audience === 'COHORT' ? { ...rest, audience } : rest;
}

export async function cancelSimulation(id: string): Promise<void> {
  throwUserErrors(await sendMutation(SimulationCancelDocument, { id }));
}

const REFRESH_MS = 700;

/** Follows the server's stream until the simulation ends; read every {@link REFRESH_MS} while the stream fails. */
export const simulationQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['simulation', id],
    queryFn: async ({ client, queryKey, signal }) => {
      const variables = { id: id ?? '' };
      const show = (simulation: Simulation) => client.setQueryData(queryKey, simulation);
      const last = await followProgress(variables, signal, show).catch(() => undefined);
      signal.throwIfAborted();
      if (last && !isUnfinished(last)) return last;
      return (await graphqlRequest(SimulationDocument, variables, signal)).simulation;
    },
    enabled: id !== undefined,
    refetchInterval: ({ state: { data } }) => (data && isUnfinished(data) ? REFRESH_MS : false),
  });

/** @returns the last state when the stream ends; undefined without any. Rejects if the stream fails or is aborted */
function followProgress(
  variables: SimulationProgressSubscriptionVariables,
  signal: AbortSignal,
  show: (simulation: Simulation) => void,
): Promise<Simulation | undefined> {
  return new Promise((resolve, reject) => {
    let last: Simulation | undefined;
    const fail = (reason: unknown) => {
      stop();
      reject(reason);
    };
    const stop = subscribe(SimulationProgressDocument, variables, {
      next: ({ simulationProgress }) => {
        last = simulationProgress;
        show(last);
      },
      end: (error) => (error ? reject(error) : resolve(last)),
      interrupt: () => fail(new Error('The stream is interrupted')),
    });
    signal.addEventListener('abort', () => fail(signal.reason));
  });
}

export const isUnfinished = ({ state }: Pick<Simulation, 'state'>): boolean =>
  state === 'WAITING' || state === 'RUNNING';
