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

/** Changes that take no `expectedVersion`, and why nobody's work can be lost by them. */
const WITHOUT_VERSION: Record<string, string> = {
  accountPasswordResetSend: 'it sends one mail',
  accountTwoFactorRemove: 'it names the account, and turns off what is on',
  alertThresholdRemove: 'it names what it takes away',
  alertThresholdSet: 'there is one number to be, and the last word counts',
  apiKeyRevoke: 'a key ends once',
  apiKeyRotate: 'it makes a key beside the one that it replaces',
  boostEnd: 'a boost ends once',
  bulkActionCancel: 'an action is canceled once',
  bulkActionStart: 'each tenant is changed as it is when its turn comes',
  bulkActionUndo: 'an action is taken back once',
  changeRevert: 'it names the change, and is refused where something changed since',
  configApply: 'it may say which revision of all policy it goes out from',
  entitlementRevoke: 'a grant ends once; nothing else of it changes',
  invitationAccept: 'an invitation is accepted once',
  invitationResend: 'it sends one more letter',
  invitationRevoke: 'an invitation ends once',
  memberInvite: 'it makes an invitation',
  memberRemove: 'it names whom it takes away',
  memberRoleChange: 'there is one thing to be, and the last word counts',
  operatorInvitationResend: 'it sends one more letter',
  operatorInvitationRevoke: 'an invitation ends once',
  operatorInvite: 'it makes an invitation',
  operatorRemove: 'it names whom it takes away',
  tenantSignUp: 'it makes a tenant',
  invoiceMarkPaid: 'an invoice is settled once, and its state says whether it is',
  invoiceVoid: 'an invoice is settled once, and its state says whether it is',
  nodeRetire: 'a node that reports again is back',
  operatorResume: 'there is one thing to be, and the last word counts',
  operatorRoleChange: 'there is one thing to be, and the last word counts',
  operatorSuspend: 'there is one thing to be, and the last word counts',
  overrideRemove: 'an override is removed once',
  paymentEventDismiss: 'a review is closed once',
  paymentEventRetry: 'a review is closed once',
  passwordResetRequest: 'it sends one mail',
  sessionRevoke: 'a session ends once',
  sessionRevokeOthers: 'a session ends once',
  paymentPortalLink: 'it makes a link and changes nothing',
  policyRollback: 'it names the revision that it goes back to, and is itself a new one',
  purchaseCancel: 'a purchase goes through each state once',
  purchaseStopRetry: 'asks for nothing but what is owed already',
  purchaseRefund: 'a purchase goes through each state once',
  purchaseReject: 'a purchase goes through each state once',
  purchaseApprove: 'a purchase goes through each state once',
  purchaseStart: 'it makes a purchase',
  serviceTokenRotate: 'it makes a token beside the one that it replaces',
  testClockAdvance: 'time only goes on',
  tierCohortExtend: 'it adds tenants and takes none away',
  tierMigrate: 'it moves those who are not there yet',
  noticesMarkRead: 'what was read stays read, by whoever',
  webhookDeliveryRetry: 'one more attempt takes nothing away',
  tierDuplicate: 'it makes a tier, and leaves the one that it copies alone',
  serviceTokenRevoke: 'a token ends once, and nothing else of it changes',
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

  it('that changes something says which version its caller has seen', () => {
    const isCreation = (name: string) => name.endsWith('Create');
    const unversioned = wanting((mutation) => {
      const version = inputFields(mutation).find(({ name }) => name === 'expectedVersion');
      return isCreation(mutation.name) || String(version?.type) === 'Int!';
    });
    expect(unversioned.filter((name) => !(name in WITHOUT_VERSION))).toEqual([]);
  });

  it('that needs no version is one that there is', () => {
    const names = mutations.map(({ name }) => name);
    expect(Object.keys(WITHOUT_VERSION).filter((name) => !names.includes(name))).toEqual([]);
  });
});
