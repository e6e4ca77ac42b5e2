import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TypedDocumentString } from '../generated/graphql.js';
import { errorsByField, graphqlRequest, throwUserErrors, type UserErrorInfo } from './graphql-request.js';
import type { MutationCall } from './mutation-text.js';

interface Payload {
  userErrors: readonly UserErrorInfo[];
}

/** A mutation of one field that takes `$input`; where it is one of several, it takes the input of any of them. */
type MutationDocument = TypedDocumentString<Record<string, Payload>, { input: never }>;
type InputOf<D> =
  D extends TypedDocumentString<infer _, { input: infer Input extends object }> ? Input : never;
type PayloadOf<D> =
  D extends TypedDocumentString<infer Result, infer _> ? Extract<Result[keyof Result], Payload> : never;

/** Sends a mutation; user errors are in the payload. */
export async function sendMutation<D extends MutationDocument>(
  document: D,
  input: InputOf<D>,
): Promise<PayloadOf<D>> {
  const result = await graphqlRequest(document, { input } as { input: never });
  return Object.values(result)[0] as PayloadOf<D>;
}

/** The mutation of a document as text to copy. `selection` is needed where the document selects by a fragment. */
export function mutationCall<D extends MutationDocument>(
  document: D,
  input: InputOf<D>,
  selection?: string,
): MutationCall {
  const [, inputType = '', mutation = '', fields = ''] =
    /\$input: (\w+)!\) \{\s*(\w+)\(input: \$input\) \{([\s\S]*?)(?:userErrors|\.\.\.|$)/.exec(
      document.toString(),
    ) ?? [];
  const selected = fields
    .replace(/impact \{\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return { mutation, inputType, input, selection: selection ?? selected };
}

function invalidate(queryClient: QueryClient, queryKeys: readonly QueryKey[]): Promise<unknown> {
  if (queryKeys.length === 0) return queryClient.invalidateQueries();
  return Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/**
 * A mutation that resolves with its payload and fails with UserErrorsError. Afterwards it invalidates `queryKeys`, or
 * every query without any.
 */
export function useInputMutation<D extends MutationDocument>(document: D, ...queryKeys: readonly QueryKey[]) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: InputOf<D>) => {
      const payload = await sendMutation(document, input);
      throwUserErrors(payload);
      return payload;
    },
    // A payload may hold a secret.
    gcTime: 0,
    onSettled: () => invalidate(queryClient, queryKeys),
  });
}

/**
 * The mutation of a `CreateModal`: errors of the named fields, and the modal's properties for an input.
 * Like `useInputMutation` it invalidates `queryKeys`.
 */
export function useMutationDialog<D extends MutationDocument>(
  document: D,
  fields: readonly string[],
  ...queryKeys: readonly QueryKey[]
) {
  const mutation = useInputMutation(document, ...queryKeys);
  const { byField, form } = errorsByField(mutation.error, fields);
  return {
    mutation,
    errors: byField,
    /** Without an input there is nothing to submit or to copy. */
    dialog: (input: InputOf<D> | undefined, onDone: (payload: PayloadOf<D>) => void, config?: object) => ({
      onSubmit: () => input && mutation.mutate(input, { onSuccess: onDone }),
      pending: mutation.isPending,
      problem: form,
      ...(input && { copy: { call: mutationCall(document, input), config } }),
    }),
  };
}

/** `call` and `send` of a `ChangeReview`; applying the change invalidates `queryKeys`. */
export function useReviewedMutation<D extends MutationDocument>(
  document: D,
  input: InputOf<D>,
  ...queryKeys: readonly QueryKey[]
) {
  const queryClient = useQueryClient();
  return {
    call: mutationCall(document, input),
    send: async (terms: { reason: string | null; dryRun: boolean }) => {
      const payload = await sendMutation(document, { ...input, ...terms });
      if (!terms.dryRun) await invalidate(queryClient, queryKeys);
      return payload;
    },
  };
}
