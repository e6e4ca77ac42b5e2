import { AsyncLocalStorage } from 'node:async_hooks';
import { Args, ID, Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import type { Outcome } from '../../../platform/changes/outcome.js';
import { EventBus } from '../../../platform/events.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { EventQueue } from '../../../platform/graphql/stream/open-streams.js';
import { Log } from '../../../platform/log.js';
import {
  Simulation,
  SimulationCancelInput,
  SimulationPayload,
  SimulationStartInput,
} from './simulations.graphql.js';
import type { SimulationRow } from './simulations.repository.js';
import { SimulationsService } from './simulations.service.js';

const ID_ARG = { type: () => ID, description: 'Id of the simulation.' } as const;

@Resolver(() => Simulation)
export class SimulationsResolver {
  constructor(private readonly service: SimulationsService) {}

  @RequirePermission('traffic:read')
  @Query(() => Simulation, {
    name: 'simulation',
    nullable: true,
    description: 'A simulation; null if there is none, or its result is older than a week.',
  })
  async find(@Args('id', ID_ARG) id: string): Promise<Simulation | null> {
    const row = await this.service.find(id);
    return row && this.service.show(row);
  }

  @RequirePermission('traffic:read')
  @Mutation(() => SimulationPayload, {
    name: 'simulationStart',
    description:
      'Replays recorded traffic by the policy of a draft, which the caller must be permitted to apply. Returns an earlier simulation of the same draft and revision if it is less than five minutes old.',
  })
  async start(@Input() input: SimulationStartInput, @CurrentCaller() caller: Caller) {
    return this.payloadOf(await this.service.start(caller, input));
  }

  @RequirePermission('traffic:read')
  @Mutation(() => SimulationPayload, {
    name: 'simulationCancel',
    description: 'Cancels a simulation; one that has ended stays as it is.',
  })
  async cancel(@Input() input: SimulationCancelInput, @CurrentCaller() caller: Caller) {
    return this.payloadOf(await this.service.cancel(caller, input));
  }

  private async payloadOf(outcome: Outcome<SimulationRow | null>) {
    if (!outcome.ok) return { simulation: null, userErrors: outcome.errors };
    return { simulation: outcome.value && (await this.service.show(outcome.value)), userErrors: [] };
  }
}

/** Events may be lost, so the state is read at least this often. */
const POLL_MS = 2000;

@Resolver()
export class SimulationStreamResolver {
  constructor(
    private readonly service: SimulationsService,
    private readonly bus: EventBus,
    private readonly log: Log,
  ) {}

  @RequirePermission('traffic:read')
  @Subscription(() => Simulation, {
    name: 'simulationProgress',
    description: 'A simulation now and after each progress, until it ends.',
  })
  async stream(@Args('id', ID_ARG) id: string): Promise<EventQueue<{ simulationProgress: Simulation }>> {
    if ((await this.service.find(id)) === null) throw badInput('There is no such simulation');
    // Bus listeners and timers run outside of the request, whose scope limits the visible rows.
    const inRequest = AsyncLocalStorage.snapshot();
    let last = '';
    const show = async () => {
      const row = await this.service.find(id);
      if (row === null) return queue.end();
      const state = `${row.state} ${row.replayed}`;
      if (state !== last) queue.push({ simulationProgress: await this.service.show(row) });
      last = state;
      if (row.endedAt !== null) queue.end();
    };
    const push = () =>
      void inRequest(show).catch((error: unknown) => {
        this.log.debug({ error: String(error) }, 'simulation not streamed');
      });
    const unlisten = this.bus.listen((event) => {
      if (event.topic === 'simulation' && event.id === id) push();
    });
    const timer = setInterval(push, POLL_MS);
    const queue = new EventQueue<{ simulationProgress: Simulation }>(() => {
      clearInterval(timer);
      unlisten();
    });
    push();
    return queue;
  }
}
