import 'reflect-metadata';
import {
  buildSchema,
  type GraphQLField,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildSchemaText } from './schema-text.js';

/** Mutations without `expectedVersion`, each with the reason why it cannot overwrite concurrent work. */
const WITHOUT_VERSION: Record<string, string> = {
  accountPasswordResetSend: 'sends one mail',
  accountTwoFactorRemove: 'removes the second factor of one account',
  alertThresholdRemove: 'removes one named threshold',
  alertThresholdSet: 'sets one value; the last write wins',
  apiKeyRevoke: 'a key is revoked once',
  apiKeyRotate: 'adds a secret to the key',
  autoTopUpSet: 'sets one value, at a price that is checked; the last write wins',
  autoTopUpTurnOff: 'only turns off',
  boostEnd: 'a boost ends once',
  bulkActionCancel: 'an action is canceled once',
  bulkActionStart: 'each item is applied to the current state of its tenant',
  bulkActionUndo: 'an action is undone once',
  changeRevert: 'names the change and is rejected if the entity has changed since',
  configApply: 'accepts the policy revision it is based on',
  entitlementRevoke: 'a grant ends once; its other fields never change',
  invitationAccept: 'an invitation is accepted once',
  invitationResend: 'sends another mail',
  invitationRevoke: 'an invitation is revoked once',
  jobQueuePause: 'sets one value; the last write wins',
  jobQueueResume: 'sets one value; the last write wins',
  jobRemove: 'a job is removed once',
  jobRetry: 'only retries a failed job',
  memberInvite: 'creates an invitation',
  memberRemove: 'removes one named person',
  memberRoleChange: 'sets one value; the last write wins',
  operatorInvitationResend: 'sends another mail',
  operatorInvitationRevoke: 'an invitation is revoked once',
  operatorInvite: 'creates an invitation',
  operatorRemove: 'removes one named person',
  simulationCancel: 'a simulation is canceled once',
  simulationStart: 'starts a job that changes nothing',
  tenantSignUp: 'creates a tenant',
  invoiceMarkPaid: 'an invoice is closed once',
  invoiceVoid: 'an invoice is closed once',
  nodeRetire: 'a node that reports again is restored',
  operatorResume: 'sets one value; the last write wins',
  operatorRoleChange: 'sets one value; the last write wins',
  operatorSuspend: 'sets one value; the last write wins',
  overrideRemove: 'an override is removed once',
  ownLimitRemove: 'an own limit is removed once',
  ownLimitSet: 'sets one value; the last write wins',
  subjectRuleRemove: 'a rule is removed once',
  subjectRuleSet: 'sets one value; the last write wins',
  spendCapSet: 'sets one value; the last write wins',
  paymentEventDismiss: 'a review is closed once',
  paymentEventRetry: 'a review is closed once',
  passwordResetRequest: 'sends one mail',
  sessionRevoke: 'a session ends once',
  sessionRevokeOthers: 'a session ends once',
  paymentCardLink: 'creates a link and changes nothing',
  paymentPortalLink: 'creates a link and changes nothing',
  policyRollback: 'names its target revision and creates a new one',
  publicationGuardCancel: 'a guard ends once',
  purchaseCancel: 'a purchase enters each state once',
  purchaseStopRetry: 'only retries a pending cancellation',
  purchaseRefund: 'a purchase enters each state once',
  purchaseReject: 'a purchase enters each state once',
  purchaseApprove: 'a purchase enters each state once',
  purchaseStart: 'creates a purchase',
  savedViewRemove: 'only removes a preference of the viewer',
  savedViewSet: 'replaces the view of that name',
  serviceTokenRotate: 'a token is rotated once',
  testRequestSend: 'only sends requests',
  testClockAdvance: 'time only moves forward',
  tierCohortExtend: 'only adds tenants',
  tierMigrate: 'only moves tenants that are not on the target',
  noticesMarkRead: 'read notices stay read',
  webhookDeliveryRetry: 'only adds a delivery attempt',
  tierDuplicate: 'creates a tier and does not change the source',
  serviceTokenRevoke: 'a token is revoked once; its other fields never change',
};

let mutations: GraphQLField<unknown, unknown>[];
beforeAll(async () => {
  mutations = Object.values(
    buildSchema(await buildSchemaText())
      .getMutationType()
      ?.getFields() ?? {},
  );
});

const inputFields = ({ args }: GraphQLField<unknown, unknown>) => {
  const type = args[0] === undefined ? undefined : getNamedType(args[0].type);
  return isInputObjectType(type) ? Object.values(type.getFields()) : [];
};

function wanting(has: (mutation: GraphQLField<unknown, unknown>) => boolean): string[] {
  return mutations.filter((mutation) => !has(mutation)).map(({ name }) => name);
}

describe('every mutation', () => {
  it('takes one input, with reason and dryRun', () => {
    expect(
      wanting((mutation) => {
        const fields = inputFields(mutation).map(({ name }) => name);
        const [input, ...others] = mutation.args;
        return (
          input?.name === 'input' &&
          isNonNullType(input.type) &&
          others.length === 0 &&
          fields.includes('reason') &&
          fields.includes('dryRun')
        );
      }),
    ).toEqual([]);
  });

  it('answers with userErrors and impact', () => {
    expect(
      wanting(({ type }) => {
        const payload = getNamedType(type);
        if (!isObjectType(payload) || !isNonNullType(type)) return false;
        const { userErrors, impact } = payload.getFields();
        return String(userErrors?.type) === '[UserError!]!' && String(impact?.type) === 'Impact';
      }),
    ).toEqual([]);
  });

  it('requires expectedVersion if it changes an existing entity', () => {
    const isCreation = (name: string) => name.endsWith('Create');
    const unversioned = wanting((mutation) => {
      const version = inputFields(mutation).find(({ name }) => name === 'expectedVersion');
      return isCreation(mutation.name) || String(version?.type) === 'Int!';
    });
    expect(unversioned.filter((name) => !(name in WITHOUT_VERSION))).toEqual([]);
  });

  it('listed in WITHOUT_VERSION exists', () => {
    const names = mutations.map(({ name }) => name);
    expect(Object.keys(WITHOUT_VERSION).filter((name) => !names.includes(name))).toEqual([]);
  });
});
