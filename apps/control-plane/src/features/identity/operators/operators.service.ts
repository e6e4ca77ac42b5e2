import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type { Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { checkGrant, operatorGrant } from '../../../platform/access/grants.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { kindOfId } from '../../../platform/ids.js';
import type { OperatorRole } from '../../../platform/prisma/schema.js';
import type { OperatorRoleChangeInput, OperatorStatusInput } from './operators.graphql.js';
import { operatorRoleSchema, operatorStatusSchema } from './operators.graphql.js';
import { type OperatorRow, OperatorsRepository } from './operators.repository.js';

type Work = (change: Change, operator: OperatorRow) => Promise<OperatorRow | Refusal<OperatorRow>>;

/** At least one active owner remains, and operators cannot change their own access. */
@Injectable()
export class OperatorsService {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly changes: ChangeRunner,
    private readonly access: AccessChanges,
    private readonly clock: Clock,
  ) {}

  list(): Promise<OperatorRow[]> {
    return this.operators.list();
  }

  findById(id: string): Promise<OperatorRow | null> {
    return this.operators.findById(id);
  }

  /** Errors: NOT_FOUND; INVALID for the caller, the last owner and roles with permissions that the caller lacks. */
  async changeRole(caller: Caller, input: OperatorRoleChangeInput): Promise<Outcome<OperatorRow>> {
    const parsed = parseInput(operatorRoleSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { role } = parsed.data;
    return this.changeOperator(
      caller,
      parsed.data,
      { keepsOwner: role === 'OWNER', role },
      async (change, old) => {
        const operator = await this.operators.setRole(change.tx, old.id, role);
        await audit(change, 'operator.roleChange', old, { role: old.role }, { role });
        return operator;
      },
    );
  }

  /** Tenant memberships remain. Errors as in `changeRole`. */
  async remove(caller: Caller, input: OperatorStatusInput): Promise<Outcome<OperatorRow>> {
    return this.changeStatus(caller, input, false, async (change, old) => {
      await this.operators.remove(change.tx, old.id);
      await audit(change, 'operator.remove', old, { role: old.role }, { role: null });
      return old;
    });
  }

  /** Also ends all sessions. Errors as in `changeRole`. */
  async suspend(caller: Caller, input: OperatorStatusInput): Promise<Outcome<OperatorRow>> {
    return this.changeStatus(caller, input, false, async (change, old) => {
      if (old.suspendedAt !== null)
        return refuse([invalid(['id'], 'The operator is already suspended.')], old);
      const operator = await this.operators.setSuspended(change.tx, old.id, this.clock.now());
      await audit(change, 'operator.suspend', old, { suspended: false }, { suspended: true });
      return operator;
    });
  }

  /** Errors: NOT_FOUND, INVALID if the operator is not suspended. */
  async resume(caller: Caller, input: OperatorStatusInput): Promise<Outcome<OperatorRow>> {
    return this.changeStatus(caller, input, true, async (change, old) => {
      if (old.suspendedAt === null) return refuse([invalid(['id'], 'The operator is not suspended.')], old);
      const operator = await this.operators.setSuspended(change.tx, old.id, null);
      await audit(change, 'operator.resume', old, { suspended: true }, { suspended: false });
      return operator;
    });
  }

  private async changeStatus(
    caller: Caller,
    input: OperatorStatusInput,
    keepsOwner: boolean,
    work: Work,
  ): Promise<Outcome<OperatorRow>> {
    const parsed = parseInput(operatorStatusSchema, input);
    return parsed.ok ? this.changeOperator(caller, parsed.data, { keepsOwner }, work) : refuse(parsed.errors);
  }

  /** @param role the new role, if any */
  private async changeOperator(
    caller: Caller,
    { id, reason }: { id: string; reason: string | null },
    { keepsOwner, role }: { keepsOwner: boolean; role?: OperatorRole },
    work: Work,
  ): Promise<Outcome<OperatorRow>> {
    const missing = notFound(['id'], 'operator with this id');
    if (kindOfId(id) !== 'user') return refuse([missing]);
    const outcome = await this.changes.run<OperatorRow>(caller, { reason }, async (change) => {
      const { operator, owners } = await this.operators.lockWithOwners(change.tx, id);
      if (operator === null) return refuse([missing]);
      if (operator.id === caller.actor.id) {
        const message = 'You cannot change your own access. Ask another owner.';
        return refuse([invalid(['id'], message)], operator);
      }
      const excess =
        checkGrant(caller.actor, operatorGrant(operator.role), ['id']) ??
        (role && checkGrant(caller.actor, operatorGrant(role), ['role']));
      if (excess) return refuse([excess], operator);
      if (!keepsOwner && owners.length === 1 && owners[0] === operator.id) {
        const message = 'This is the last active owner. Make another operator an owner first.';
        return refuse([invalid(['id'], message)], operator);
      }
      return work(change, operator);
    });
    if (outcome.ok && outcome.changeId !== null) await this.access.announce();
    return outcome;
  }
}

function audit(
  change: Change,
  action: AuditAction,
  { id, email }: OperatorRow,
  before: { role: string } | { suspended: boolean },
  after: { role: string | null } | { suspended: boolean },
): Promise<void> {
  const facts = { entityId: id, entityName: email };
  return change.audit({ action, ...facts, before: { email, ...before }, after: { email, ...after } });
}
