import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  InvoiceFieldsFragment,
  InvoiceMarkPaidInput,
  InvoiceStatus,
  InvoiceVoidInput,
} from '../../../generated/graphql.js';
import { graphql } from '../../../generated/index.js';
import { graphqlRequest, throwUserErrors } from '../../../lib/graphql-request.js';
import type { MutationCall } from '../../../lib/mutation-text.js';
import { purchasesKey } from './purchases.js';

graphql(`
  fragment InvoiceFields on Invoice {
    id number period status amountMinor currency issuedAt dueAt settledAt reference
    purchase { id tenantKey label }
  }
`);

const InvoicesDocument = graphql(`
  query Invoices($first: Int!, $after: String, $tenantKey: String, $status: InvoiceStatus) {
    invoices(first: $first, after: $after, tenantKey: $tenantKey, status: $status) {
      totalCount nodes { ...InvoiceFields } pageInfo { hasNextPage endCursor }
    }
  }
`);

const InvoiceMarkPaidDocument = graphql(`
  mutation InvoiceMarkPaid($input: InvoiceMarkPaidInput!) {
    invoiceMarkPaid(input: $input) { changeId userErrors { code field message } }
  }
`);

const InvoiceVoidDocument = graphql(`
  mutation InvoiceVoid($input: InvoiceVoidInput!) {
    invoiceVoid(input: $input) { changeId userErrors { code field message } }
  }
`);

export const invoicesKey = ['invoices'] as const;

export type InvoiceRow = InvoiceFieldsFragment;

/** Invoices, newest first, page after page; of all tenants where none is named. */
export const invoicesQuery = (filter: {
  tenantKey?: string | undefined;
  status?: InvoiceStatus | undefined;
}) =>
  infiniteQueryOptions({
    queryKey: [...invoicesKey, filter.tenantKey ?? '', filter.status ?? ''],
    queryFn: async ({ pageParam, signal }) => {
      const { tenantKey = null, status = null } = filter;
      const page = { first: 50, after: pageParam, tenantKey, status };
      return (await graphqlRequest(InvoicesDocument, page, signal)).invoices;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });

export type InvoiceChange = ({ kind: 'paid' } & InvoiceMarkPaidInput) | ({ kind: 'void' } & InvoiceVoidInput);

/** The same as a script would ask. */
export function invoiceChangeCall({ kind, ...input }: InvoiceChange): MutationCall {
  const name = kind === 'paid' ? 'MarkPaid' : 'Void';
  return { mutation: `invoice${name}`, inputType: `Invoice${name}Input`, input };
}

/** Says that the money of an invoice has come, or will not; resolves with the change where limits follow from it. */
export function useInvoiceChange() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ kind, ...input }: InvoiceChange) => {
      const payload =
        kind === 'paid'
          ? (await graphqlRequest(InvoiceMarkPaidDocument, { input })).invoiceMarkPaid
          : (await graphqlRequest(InvoiceVoidDocument, { input })).invoiceVoid;
      throwUserErrors(payload);
      return payload.changeId ?? undefined;
    },
    onSettled: () =>
      Promise.all([purchasesKey, invoicesKey].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
}
