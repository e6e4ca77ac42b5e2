import { expect, it } from 'vitest';
import { ApiKeyCreateDocument, ApiUpdateDocument, ChangeSetCreateDocument } from '../generated/graphql.js';
import { mutationCall } from './mutation.js';

const input = { apiKey: 'shop', expectedVersion: 1 };

it('reads name, input type and selected fields of a mutation from its document', () => {
  const create = { tenantKey: 'acme', name: 'web', mode: 'LIVE' as const, scopes: [], expiresAt: null };
  expect(mutationCall(ApiKeyCreateDocument, create)).toMatchObject({
    mutation: 'apiKeyCreate',
    inputType: 'ApiKeyCreateInput',
    selection: 'key',
  });
});

it('leaves out fields that are selected by a fragment', () => {
  expect(mutationCall(ApiUpdateDocument, input).selection).toBe('changeId');
  expect(mutationCall(ChangeSetCreateDocument, { title: 'Autumn' }).selection).toBe('');
});
