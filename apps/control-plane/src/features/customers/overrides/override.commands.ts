import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AuditFacts, tenantInputOf } from '../../../platform/changes/audit-trail.js';
import { type CommandCall, PolicyCommands, readTimes } from '../../../platform/changes/policy-commands.js';
import { Clock } from '../../../platform/clock.js';
import { showEffect } from '../entitlements/entitlements.graphql.js';
import { TenantsRepository } from '../tenants/tenants.repository.js';
import type {
  BoostEndInput,
  BoostStartInput,
  OverrideRemoveInput,
  OverrideSetInput,
} from './overrides.graphql.js';
import { OverridesService } from './overrides.service.js';

/** Reason recorded for a reverted override. */
const REASON = 'Reverted';

/** Change set commands for overrides and boosts. */
@Injectable()
export class OverrideCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: OverridesService,
    private readonly tenants: TenantsRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.commands.register<OverrideSetInput>({
      name: 'overrideSet',
      action: 'override.set',
      inputOf: tenantInputOf,
      inputType: 'OverrideSetInput',
      permission: 'overrides:write',
      run: async (caller, { tx }, input) =>
        this.service.set(
          caller,
          await this.tenants.withVersion(tx, readTimes(input, ['startsAt', 'expiresAt'])),
        ),
      fromNow: ({ startsAt, expiresAt }) => [
        'entityId',
        ...(startsAt == null ? ['startsAt'] : []),
        ...(expiresAt === undefined ? ['endsAt'] : []),
      ],
      revert: (_, [done]) => [makeAgain(done, this.clock.now()) ?? removalOf(done)],
    });
    this.commands.register<OverrideRemoveInput>({
      name: 'overrideRemove',
      action: 'override.remove',
      inputOf: async ({ entityId }) => ({ overrideId: entityId }),
      inputType: 'OverrideRemoveInput',
      permission: 'overrides:write',
      run: (caller, _, input) => this.service.remove(caller, input),
      revert: (_, [done]) => listOf(makeAgain(done, this.clock.now())),
    });
    this.commands.register<BoostStartInput>({
      name: 'boostStart',
      action: 'boost.start',
      inputOf: tenantInputOf,
      inputType: 'BoostStartInput',
      permission: 'boosts:write',
      run: async (caller, { tx }, input) =>
        this.service.startBoost(caller, await this.tenants.withVersion(tx, readTimes(input, ['endsAt']))),
      fromNow: () => ['startsAt'],
      revert: (_, [done]) => [
        { command: 'boostEnd', input: { boostId: done?.entityId ?? '', reason: REASON } },
      ],
    });
    this.commands.register<BoostEndInput>({
      name: 'boostEnd',
      action: 'boost.end',
      inputOf: async ({ entityId }) => ({ boostId: entityId }),
      inputType: 'BoostEndInput',
      permission: 'boosts:write',
      run: (caller, _, input) => this.service.endBoost(caller, input),
      revert: (_, [done]) => listOf(startAgain(done)),
    });
  }
}

const listOf = (call: CommandCall | undefined) => (call === undefined ? null : [call]);

function removalOf(done: AuditFacts | undefined): CommandCall {
  return { command: 'overrideRemove', input: { overrideId: done?.entityId ?? '', reason: REASON } };
}

/** Restores the previous override from its start, or from now on if that has passed; undefined if there was none. */
function makeAgain(done: AuditFacts | undefined, now: Date): CommandCall | undefined {
  if (done?.before == null) return undefined;
  const { endsAt, ...facts } = inputBefore(done);
  const { startsAt } = done.before as { startsAt: string };
  const start = new Date(startsAt) > now ? { startsAt } : {};
  return { command: 'overrideSet', input: { ...facts, ...start, expiresAt: endsAt } };
}

function startAgain(done: AuditFacts | undefined): CommandCall | undefined {
  return done?.before == null ? undefined : { command: 'boostStart', input: inputBefore(done) };
}

/** Input of `overrideSet` or `boostStart` for the state before a change. */
function inputBefore({ before, tenantKey }: AuditFacts) {
  const { apiKey, limitName, appliesTo, effect, endsAt, carryOver, reason } = before as Record<
    string,
    unknown
  >;
  return {
    tenantKey,
    apiKey,
    limit: limitName,
    appliesTo,
    effect: Object.fromEntries(Object.entries(showEffect(effect)).filter(([, value]) => value !== null)),
    endsAt,
    carryOver,
    reason: reason === '' ? REASON : reason,
  };
}
