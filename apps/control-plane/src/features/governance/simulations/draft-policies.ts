import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { serializeCatalogue } from '@tollgate/decision-plane/operate';
import { type Caller, isPermitted } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import { notFound, type Outcome, refuse, userError } from '../../../platform/changes/outcome.js';
import type { CommandCall } from '../../../platform/changes/policy-commands.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { compileCatalogue, PolicyRepository } from '../../distribution/index.js';
import { ChangeSetTrial } from '../change-sets/change-set-trial.js';
import { ChangeSetsRepository } from '../change-sets/change-sets.repository.js';
import { CommandInputs } from '../change-sets/command-inputs.js';
import { ConfigService } from '../config/config.service.js';
import type { SimulationDraft } from './simulation.rules.js';
import type { SimulationChangeInput } from './simulations.graphql.js';

/** Where a draft comes from; exactly one. */
export interface DraftSource {
  changes: readonly SimulationChangeInput[] | null;
  changeSetId: string | null;
  /** Configuration as JSON text. */
  config: string | null;
}

export interface Draft extends SimulationDraft {
  /** Of its source. */
  digest: string;
}

/** Policies of drafts are never published, so their number does not matter. */
const NO_REVISION = 1;

const TIMEOUT_MS = 60_000;

/** Computes the policy of a draft: the records for nodes after a dry run of its changes. */
@Injectable()
export class DraftPolicies {
  constructor(
    private readonly changes: ChangeRunner,
    private readonly inputs: CommandInputs,
    private readonly trial: ChangeSetTrial,
    private readonly sets: ChangeSetsRepository,
    private readonly configs: ConfigService,
    private readonly policy: PolicyRepository,
  ) {}

  /**
   * @param tenantKeys whose records are needed @param from start of the recording. Errors: those of the changes; NO_EFFECT if no limits change; INVALID for
   * changes that the caller may not make
   */
  async compile(
    caller: Caller,
    source: DraftSource,
    tenantKeys: readonly string[],
    from: Date,
  ): Promise<Outcome<Draft>> {
    const found = await this.read(caller, source);
    if ('errors' in found) return refuse(found.errors);
    const { run, digest } = found;
    const { actor, requestId } = caller;
    // Objects that a configuration manages can be simulated too, since nothing changes.
    const trial = { actor, requestId, dryRun: true, fromConfig: true };
    return this.changes.run<Draft>(trial, { reason: null, timeout: TIMEOUT_MS }, async (change) => {
      const errors = await run(trial, change);
      if (errors !== undefined) return refuse(errors);
      if (change.published.length === 0) {
        return refuse([userError(UserErrorCode.NO_EFFECT, null, 'The changes affect no limits.')]);
      }
      return { ...(await this.compileChange(change, tenantKeys, from)), digest };
    });
  }

  private async compileChange(
    { tx, published }: Change,
    tenantKeys: readonly string[],
    from: Date,
  ): Promise<SimulationDraft> {
    const rows = {
      apis: await this.policy.listApis(tx),
      tiers: await this.policy.listTiers(tx),
      // Also rules that ended since: their end is not an effect of the draft.
      subjectRules: await this.policy.listPlatformRules(tx, from),
    };
    const catalogue = compileCatalogue(NO_REVISION, { ...rows, serviceTokens: [] });
    const changed = new Set(
      published.flatMap(({ kind, entityKey }) => (kind === 'TENANT' ? [entityKey] : [])),
    );
    const tenants: SimulationDraft['tenants'][number][] = [];
    const needed = tenantKeys.filter((key) => changed.has(key));
    for await (const page of this.policy.listTenantPages(tx, needed, NO_REVISION)) {
      tenants.push(...page.flatMap(({ record }) => (record === null ? [] : [withoutKeys(record)])));
    }
    return { catalogueText: serializeCatalogue(catalogue).text, tenants };
  }

  private async read(
    caller: Caller,
    { changes, changeSetId, config }: DraftSource,
  ): Promise<{ errors: UserError[] } | { run: RunDraft; digest: string }> {
    if (config !== null) {
      const run: RunDraft = async (trial) => {
        const outcome = await this.configs.apply(trial, { document: config, mode: 'APPLY', dryRun: true });
        return outcome.ok ? undefined : outcome.errors.map((error) => inConfig(error));
      };
      return { run, digest: digestOf(['config', config]) };
    }
    const items =
      changes === null ? await this.itemsOf(caller, changeSetId ?? '') : this.readAll(caller, changes);
    if ('errors' in items) return items;
    const run: RunDraft = async (trial, change) => {
      const outcome = await this.trial.runAll(trial, change, items.items as never);
      return 'ok' in outcome ? outcome.errors.map((error) => inSource(error, changes !== null)) : undefined;
    };
    return { run, digest: digestOf(items.items.map(({ command, input }) => [command, input])) };
  }

  private readAll(
    caller: Caller,
    changes: readonly CommandCall[],
  ): { errors: UserError[] } | { items: CommandCall[] } {
    const errors: UserError[] = [];
    const items = changes.map((call, index) => {
      const read = this.inputs.read(caller, call);
      if (!('errors' in read)) return { command: call.command, input: read.input };
      for (const error of read.errors) {
        errors.push({ ...error, field: ['changes', String(index), ...(error.field ?? [])] });
      }
      return call;
    });
    return errors.length > 0 ? { errors } : { items };
  }

  private async itemsOf(
    { actor }: Caller,
    changeSetId: string,
  ): Promise<{ errors: UserError[] } | { items: CommandCall[] }> {
    const set = isPermitted(actor, 'change-sets:read') ? await this.sets.findById(changeSetId) : null;
    if (set === null) return { errors: [notFound(['changeSetId'], 'change set with this id')] };
    return { items: set.items.map(({ command, input }) => ({ command, input: input as object })) };
  }
}

/** Runs a draft within a dry run. Returns its errors. */
type RunDraft = (trial: Caller, change: Change) => Promise<UserError[] | undefined>;

/** Credentials are not part of a draft. */
function withoutKeys<T extends { keys?: unknown }>({ keys: _, ...record }: T): Omit<T, 'keys'> {
  return record;
}

/** Errors of a run have paths `items`, index and field of the input. */
function inSource(error: UserError, isOwn: boolean): UserError {
  const [, index = '', ...path] = error.field ?? [];
  return isOwn
    ? { ...error, field: ['changes', index, 'input', ...path] }
    : { ...error, field: ['changeSetId'] };
}

function inConfig(error: UserError): UserError {
  const [, ...path] = error.field ?? [];
  return { ...error, field: ['config', ...path] };
}

function digestOf(source: unknown): string {
  return createHash('sha256').update(JSON.stringify(source)).digest('hex');
}
