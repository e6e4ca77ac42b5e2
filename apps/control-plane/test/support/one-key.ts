/** Results of many calls of one mutation under one Idempotency-Key. */
export interface OneKeyResult {
  calls: number;
  /** Distinct responses, by data and errors; 1 is correct. */
  answers: number;
  /** Calls without status 200. */
  failures: number;
  slowestMs: number;
  /** One of the responses. */
  answer: { data?: Record<string, unknown> };
}

export interface OneKeyOptions {
  /** Control planes on one database; calls alternate between them. */
  urls: readonly string[];
  headers: Readonly<Record<string, string>>;
  calls: number;
  key: string;
  query: string;
}

/** Sends a mutation many times concurrently under one key and compares the responses. */
export async function callWithOneKey({
  urls,
  headers,
  calls,
  key,
  query,
}: OneKeyOptions): Promise<OneKeyResult> {
  const answers = await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      const startedMs = performance.now();
      const response = await fetch(`${urls[i % urls.length]}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = (await response.json()) as {
        data?: Record<string, unknown>;
        errors?: unknown;
      };
      return { status: response.status, data, errors, tookMs: performance.now() - startedMs };
    }),
  );
  return {
    calls,
    answers: new Set(answers.map(({ data, errors }) => JSON.stringify([data, errors]))).size,
    failures: answers.filter(({ status }) => status !== 200).length,
    slowestMs: Math.max(...answers.map(({ tookMs }) => tookMs)),
    answer: { ...(answers[0]?.data === undefined ? {} : { data: answers[0].data }) },
  };
}
