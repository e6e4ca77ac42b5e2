import type { WebhookEndpointUpdateInput } from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { useEndpointChange } from './endpoints.js';

const UpdateDocument = graphql(`
  mutation WebhookEndpointUpdate($input: WebhookEndpointUpdateInput!) {
    webhookEndpointUpdate(input: $input) { endpoint { version } userErrors { code field message } }
  }
`);

const EnableDocument = graphql(`
  mutation WebhookEndpointEnable($input: WebhookEndpointTargetInput!) {
    webhookEndpointEnable(input: $input) { userErrors { code field message } }
  }
`);

const DisableDocument = graphql(`
  mutation WebhookEndpointDisable($input: WebhookEndpointTargetInput!) {
    webhookEndpointDisable(input: $input) { userErrors { code field message } }
  }
`);

const DeleteDocument = graphql(`
  mutation WebhookEndpointDelete($input: WebhookEndpointTargetInput!) {
    webhookEndpointDelete(input: $input) { userErrors { code field message } }
  }
`);

const TestDocument = graphql(`
  mutation WebhookEndpointTest($input: WebhookEndpointTargetInput!) {
    webhookEndpointTest(input: $input) { userErrors { code field message } }
  }
`);

const RotateDocument = graphql(`
  mutation WebhookEndpointSecretRotate($input: WebhookEndpointRotateInput!) {
    webhookEndpointSecretRotate(input: $input) { secret userErrors { code field message } }
  }
`);

export interface EndpointTarget {
  id: string;
  expectedVersion: number;
}

/** The same as a script would ask. */
export function endpointUpdateCall(input: WebhookEndpointUpdateInput): MutationCall {
  const [mutation, inputType] = ['webhookEndpointUpdate', 'WebhookEndpointUpdateInput'];
  return { mutation, inputType, input, selection: 'endpoint { version }' };
}

/** Changes where events go, what for, or which. Fails with UserErrorsError, CONFLICT among them. */
export const useEndpointUpdate = () =>
  useEndpointChange(async (input: WebhookEndpointUpdateInput) =>
    throwUserErrors((await graphqlRequest(UpdateDocument, { input })).webhookEndpointUpdate),
  );

/** Events are sent again. */
export const useEndpointEnable = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(EnableDocument, { input })).webhookEndpointEnable),
  );

/** Nothing is sent any more. */
export const useEndpointDisable = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(DisableDocument, { input })).webhookEndpointDisable),
  );

/** Takes an endpoint away for good. */
export const useEndpointDelete = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(DeleteDocument, { input })).webhookEndpointDelete),
  );

/** Sends an event that says nothing but that it arrived. */
export const useEndpointTest = () =>
  useEndpointChange(async (input: EndpointTarget) =>
    throwUserErrors((await graphqlRequest(TestDocument, { input })).webhookEndpointTest),
  );

/** Makes a new secret beside the old one; resolves with it, which no later request can bring back. */
export const useEndpointRotate = () =>
  useEndpointChange(async (input: EndpointTarget) => {
    const { webhookEndpointSecretRotate } = await graphqlRequest(RotateDocument, { input });
    throwUserErrors(webhookEndpointSecretRotate);
    return webhookEndpointSecretRotate.secret ?? '';
  });
