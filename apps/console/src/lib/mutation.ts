import {
  hashKey,
  type QueryClient,
  type QueryKey,
  type UseMutationOptions,
  type UseMutationResult,
  // biome-ignore lint/style/noRestrictedImports: the one user of the library's
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { TypedDocumentString } from '../generated/graphql.js';
import { errorsByField, graphqlRequest, throwUserErrors, type UserErrorInfo } from './graphql-request.js';
import { IdempotencyKeys } from './idempotency.js';
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

/**
 * Sends a mutation; user errors are in the payload. The server runs it once per key, however often it is sent. A dry run
 * has no key: it changes nothing, and its answer has to be new.
 * @param keys of the dialog or button that sends it
 */
export async function sendMutation<D extends MutationDocument>(
  document: D,
  input: InputOf<D>,
  { keys = new IdempotencyKeys(), signal }: { keys?: IdempotencyKeys; signal?: AbortSignal } = {},
): Promise<PayloadOf<D>> {
  const request = JSON.stringify([document, input]);
  const isDryRun = 'dryRun' in input && input.dryRun === true;
  const key = isDryRun ? undefined : keys.keyOf(request);
  const result = await graphqlRequest(document, { input } as { input: never }, signal, key);
  const payload = Object.values(result)[0] as PayloadOf<D>;
  // The next one is another request. Without an answer, it can be the same.
  keys.forget(request);
  return payload;
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
 * A mutation that ignores calls with the variables of a running one. Unlike the `isPending` of the library, this one is
 * set before the browser handles the next event.
 */
export function useSingleMutation<Data, Variables = void>(
  options: UseMutationOptions<Data, Error, Variables>,
): UseMutationResult<Data, Error, Variables> {
  const running = useRef(new Map<string, Promise<Data>>()).current;
  const [latest, setLatest] = useState<{ variables: Variables }>();
  const mutation = useMutation(options);
  const start = (variables: Variables, run: () => Promise<Data>): Promise<Data> => {
    const request = hashKey([variables]);
    const earlier = running.get(request);
    if (earlier) return earlier;
    setLatest({ variables });
    const result = run().finally(() => {
      running.delete(request);
      if (running.size === 0) setLatest(undefined);
    });
    running.set(request, result);
    return result;
  };
  const mutateAsync = (...call: Parameters<typeof mutation.mutateAsync>) =>
    start(call[0] as Variables, () => mutation.mutateAsync(...call));
  return {
    ...mutation,
    ...(latest && { isPending: true, variables: latest.variables }),
    mutateAsync,
    // The error is in the result.
    mutate: (...call: Parameters<typeof mutation.mutate>) => void mutateAsync(...call).catch(() => undefined),
  } as UseMutationResult<Data, Error, Variables>;
}

/**
 * A mutation that resolves with its payload and fails with UserErrorsError. Afterwards it invalidates `queryKeys`, or
 * every query without any. Sent again after a failure without an answer, it still takes effect once.
 */
export function useInputMutation<D extends MutationDocument>(document: D, ...queryKeys: readonly QueryKey[]) {
  const queryClient = useQueryClient();
  const keys = useRef(new IdempotencyKeys()).current;
  return useSingleMutation({
    mutationFn: async (input: InputOf<D>) => {
      const payload = await sendMutation(document, input, { keys });
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
  const keys = useRef(new IdempotencyKeys()).current;
  return {
    call: mutationCall(document, input),
    send: async (terms: { reason: string | null; dryRun: boolean }) => {
      const payload = await sendMutation(document, { ...input, ...terms }, { keys });
      if (!terms.dryRun) await invalidate(queryClient, queryKeys);
      return payload;
    },
  };
}
