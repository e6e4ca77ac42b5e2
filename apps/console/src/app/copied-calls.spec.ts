import { readFileSync } from 'node:fs';
import { buildSchema, getVariableValues, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ADJUSTMENT_ENDS, adjustmentEndInput } from '../features/adjustments/api.js';
import { NEW_RULE, subjectRuleInput } from '../features/adjustments/subject-rule-draft.js';
import {
  SubjectRuleRemoveDocument,
  SubjectRuleSetDocument,
} from '../features/adjustments/subject-rules-api.js';
import { AlertThresholdSetDocument } from '../features/alerts/api.js';
import {
  ApiKeyCreateDocument,
  ApiKeyRevokeDocument,
  ApiKeyRotateDocument,
} from '../features/api-keys/api.js';
import { ApiCreateDocument } from '../features/apis/api.js';
import { changeSetAddItemCall, changeSetCreateCall } from '../features/change-sets/api.js';
import { MemberInviteDocument } from '../features/members/api.js';
import { OFFER_STEPS } from '../features/offers/api.js';
import { OperatorInviteDocument } from '../features/operators/api.js';
import { InvoiceMarkPaidDocument, InvoiceVoidDocument, PURCHASE_CHANGES } from '../features/purchases/api.js';
import { QUOTA_DECISIONS } from '../features/quota-requests/api.js';
import { ServiceTokenCreateDocument, ServiceTokenRotateDocument } from '../features/service-tokens/api.js';
import { boostStartCall } from '../features/tenants/boost-api.js';
import { TierCreateDocument, TierDuplicateDocument } from '../features/tiers/api.js';
import { EndpointCreateDocument, EndpointUpdateDocument } from '../features/webhooks/api.js';
import { ChangeRevertDocument } from '../lib/change-revert.js';
import { mutationCall } from '../lib/mutation.js';
import { graphqlText, type MutationCall } from '../lib/mutation-text.js';

const schema = buildSchema(
  readFileSync(new URL('../../../control-plane/schema.graphql', import.meta.url), 'utf8'),
);
const names = { name: 'Search', key: 'search', description: '' };
const purchase = { purchaseId: 'pur_1', reason: null };
const request = { requestId: 'qrq_1', expectedVersion: 1 };
const offer = { offerKey: 'more', expectedVersion: 1 };
const invoice = { number: 7, reason: null };
const quota = { tenantKey: 'acme', apiKey: 'shop', limit: 'monthly', morePercent: 50, hours: 4 };

const CALLS: MutationCall[] = [
  mutationCall(ApiCreateDocument, { ...names, unknownOperations: 'ALLOW' }),
  mutationCall(TierCreateDocument, { ...names, rank: 0 }),
  mutationCall(ServiceTokenCreateDocument, { name: 'ci', scopes: ['read'], tenantKeys: [], expiresAt: null }),
  mutationCall(EndpointCreateDocument, { url: 'https://receiver.example.com', description: '', events: [] }),
  mutationCall(EndpointUpdateDocument, { id: 'whe_1', expectedVersion: 1, description: 'for billing' }),
  changeSetCreateCall({ title: 'Autumn', description: '' }),
  mutationCall(MemberInviteDocument, { tenantKey: 'acme', email: 'ann@example.com', role: 'OWNER' }),
  mutationCall(OperatorInviteDocument, { email: 'ann@example.com', role: 'VIEWER' }),
  mutationCall(AlertThresholdSetDocument, {
    tenantKey: 'acme',
    apiKey: null,
    limitName: null,
    percents: [80],
  }),
  mutationCall(ApiKeyCreateDocument, {
    tenantKey: 'acme',
    name: 'web',
    mode: 'TEST',
    scopes: [],
    expiresAt: null,
  }),
  mutationCall(ApiKeyRotateDocument, { tenantKey: 'acme', id: 'key_1', overlapHours: 24 }),
  mutationCall(ApiKeyRevokeDocument, { tenantKey: 'acme', id: 'key_1' }),
  mutationCall(ServiceTokenRotateDocument, { id: 'tok_1', overlapMinutes: 60 }),
  mutationCall(TierDuplicateDocument, { tierKey: 'basic', newKey: 'copy', name: 'Copy' }),
  boostStartCall({ ...quota, reason: 'busy' }, 1),
  changeSetAddItemCall({ id: 'chs_1', version: 1 }, mutationCall(TierCreateDocument, { ...names, rank: 0 })),
  mutationCall(ChangeRevertDocument, { changeId: 'chg_1', reason: 'a mistake' }, 'changeId'),
  ...(['activate', 'archive', 'confirmPrice'] as const).map((step) => mutationCall(OFFER_STEPS[step], offer)),
  ...(['OVERRIDE', 'BOOST', 'ENTITLEMENT'] as const).map((kind) =>
    mutationCall(ADJUSTMENT_ENDS[kind], adjustmentEndInput({ kind, id: 'x' }, 'over')),
  ),
  mutationCall(
    SubjectRuleSetDocument,
    subjectRuleInput({ key: 'acme', timeZone: 'UTC' }, { ...NEW_RULE, pattern: 'u1', reason: 'abuse' }),
  ),
  mutationCall(SubjectRuleRemoveDocument, { tenantKey: 'acme', id: 'sru_1', reason: 'over' }),
  mutationCall(InvoiceMarkPaidDocument, { ...invoice, reference: null, receivedMinor: null }),
  mutationCall(InvoiceVoidDocument, invoice),
  ...(['cancel', 'stopRetry'] as const).map((kind) => mutationCall(PURCHASE_CHANGES[kind], purchase)),
  ...(['approve', 'reject'] as const).map((kind) =>
    mutationCall(PURCHASE_CHANGES[kind], { ...purchase, payment: 'pay_1' }),
  ),
  mutationCall(PURCHASE_CHANGES.refund, { ...purchase, payment: 'pay_1', amountMinor: 1 }),
  mutationCall(QUOTA_DECISIONS.approve, { ...request, as: 'OVERRIDE', expiresAt: null, answer: null }),
  mutationCall(QUOTA_DECISIONS.counter, { ...request, offered: 5, until: null, answer: 'this much' }),
  mutationCall(QUOTA_DECISIONS.decline, { ...request, answer: 'no' }),
];

describe.each(CALLS)('Copy as: $mutation', (call) => {
  const document = parse(graphqlText(call).split('# variables')[0] ?? '');
  const operation = document.definitions.find(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  );

  it('is valid against the schema', () => {
    expect(validate(schema, document)).toEqual([]);
  });

  it('has exactly the fields of the schema', () => {
    const read = getVariableValues(schema, operation?.variableDefinitions ?? [], { input: call.input });
    expect(read.errors).toBeUndefined();
  });
});
