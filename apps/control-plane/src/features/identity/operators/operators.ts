import { Injectable } from '@nestjs/common';
import { InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import { AccessChanges } from '../../../platform/access/current-actors.js';
import { checkGrant, operatorGrant } from '../../../platform/access/grants.js';
import { CurrentCaller, RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { Node } from '../../../platform/graphql/connection.js';
import { Input, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, idField, ObjectOf } from '../../../platform/graphql/object-of.js';
import { kindOfId } from '../../../platform/ids.js';
import { OperatorRole } from '../../../platform/prisma/schema.js';
import { type OperatorRow, OperatorsRepository } from './operators.repository.js';

@ObjectType({ implements: () => [Node], description: 'A person who administers this installation.' })
export class Operator extends ObjectOf(Node, {
  email: field.string('Email address for sign-in.'),
  name: field.string('Name.'),
  role: field.of(() => OperatorRole, 'Role as an operator.'),
  createdAt: field.dateTime('When the person became an operator.'),
  suspendedAt: field.dateTime('When the operator was suspended; null: not suspended.').nullable(),
}) {}

@ObjectType({ description: 'Outcome of a change to an operator.' })
export class OperatorPayload extends ObjectOf(MutationPayload, {
  operator: field
    .of(() => Operator, 'The operator after the change; for a removal, the operator before it.')
    .nullable(),
}) {}

export const operatorStatusSchema = z.object({ id: idField('Id of the operator.'), reason: optionalNote });

@InputType({ description: 'The operator to suspend, resume or remove.' })
export class OperatorStatusInput extends InputOf(operatorStatusSchema, MutationInput) {}

export const operatorRoleSchema = operatorStatusSchema.extend({
  role: z.enum(OperatorRole).describe('The new role.'),
});

@InputType({ description: "A change of an operator's role." })
export class OperatorRoleChangeInput extends InputOf(operatorRoleSchema, MutationInput) {}

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

@Resolver(() => Operator)
export class OperatorsResolver {
  constructor(private readonly service: OperatorsService) {}

  @RequirePermission('operators:read')
  @Query(() => [Operator], {
    name: 'operators',
    description: 'Operators of this installation, by email address.',
  })
  list(): Promise<OperatorRow[]> {
    return this.service.list();
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorRoleChange',
    description:
      'Changes the role of an operator, effective immediately. Operators cannot change their own role.',
  })
  async changeRole(@Input() input: OperatorRoleChangeInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.changeRole(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorRemove',
    description: 'Removes the role of an operator and ends all of their sessions. Tenant memberships remain.',
  })
  async remove(@Input() input: OperatorStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.remove(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorSuspend',
    description: 'Suspends an operator: ends all of their sessions and streams, and blocks sign-in.',
  })
  async suspend(@Input() input: OperatorStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.suspend(caller, input));
  }

  @RequirePermission('operators:write')
  @Mutation(() => OperatorPayload, {
    name: 'operatorResume',
    description: 'Resumes a suspended operator.',
  })
  async resume(@Input() input: OperatorStatusInput, @CurrentCaller() caller: Caller) {
    return payloadOf('operator', await this.service.resume(caller, input));
  }
}
