import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuditFacts, RecordedEntry } from '../../../platform/changes/audit-trail.js';
import { type CommandCall, PolicyCommands, readTimes } from '../../../platform/changes/policy-commands.js';
import { Clock } from '../../../platform/clock.js';
import {
  type SubjectRuleRemoveInput,
  type SubjectRuleSetInput,
  showSubjectEffect,
} from './subject-rules.graphql.js';
import { SubjectRulesService } from './subject-rules.service.js';

/** Reason recorded for the removal of a reverted rule. */
const REASON = 'Reverted';

/** Change set commands for rules for subjects. */
@Injectable()
export class SubjectRuleCommands implements OnModuleInit {
  constructor(
    private readonly commands: PolicyCommands,
    private readonly service: SubjectRulesService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.commands.register<SubjectRuleSetInput>({
      name: 'subjectRuleSet',
      action: 'subjectRule.set',
      inputOf,
      inputType: 'SubjectRuleSetInput',
      permission: 'overrides:write',
      run: (caller, _, input) => this.service.set(caller, readTimes(input, ['startsAt', 'expiresAt'])),
      fromNow: ({ startsAt }) => ['entityId', ...(startsAt == null ? ['startsAt'] : [])],
      // The removal fails if the rule has been replaced since, which is recorded for its successor only.
      revert: (_, [done]) => (done === undefined ? null : [removalOf(done), ...this.restored(done)]),
    });
    this.commands.register<SubjectRuleRemoveInput>({
      name: 'subjectRuleRemove',
      action: 'subjectRule.remove',
      inputOf,
      inputType: 'SubjectRuleRemoveInput',
      permission: 'overrides:write',
      run: (caller, _, input) => this.service.remove(caller, input),
      revert: (_, [done]) => {
        const calls = done === undefined ? [] : this.restored(done);
        return calls.length === 0 ? null : calls;
      },
      irrevocable: 'The removed rule has ended since. Set a new one.',
    });
  }

  /** Sets the previous rule again; nothing if there was none or it has ended. A start in the past becomes now. */
  private restored({ before, tenantKey }: AuditFacts): CommandCall[] {
    if (before === null) return [];
    const { dimension, pattern, apiKey, limitName, effect, reason, ...times } = before;
    const { startsAt, endsAt } = times as { startsAt: string; endsAt: string | null };
    const now = this.clock.now();
    if (endsAt !== null && new Date(endsAt) <= now) return [];
    const shown = Object.entries(showSubjectEffect(effect)).filter(([, value]) => value !== null);
    const input = {
      tenantKey: tenantKey ?? null,
      ...{ dimension, pattern, apiKey, limit: limitName, reason },
      effect: Object.fromEntries(shown),
      startsAt: new Date(startsAt) > now ? startsAt : null,
      expiresAt: endsAt,
    };
    return [{ command: 'subjectRuleSet', input }];
  }
}

/** Rules for all tenants have no tenant. */
const inputOf = async ({ tenantKey }: RecordedEntry) => ({ tenantKey });

function removalOf({ entityId, tenantKey }: AuditFacts): CommandCall {
  const input = { tenantKey: tenantKey ?? null, id: entityId, reason: REASON };
  return { command: 'subjectRuleRemove', input };
}
