import * as z from 'zod';
import { CommandError, type Connection } from './connection.js';
import type { GuardTerms } from './guard-terms.js';

/** More than the transaction of a configuration may take. */
const TIMEOUT_MS = 180_000;

const changeSchema = z.object({
  action: z.string(),
  path: z.string(),
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
});

const outcomeSchema = z.object({
  changeId: z.string().nullable(),
  impact: z.object({ tenants: z.int(), increased: z.int(), decreased: z.int() }).nullable(),
  changes: z.array(changeSchema),
  userErrors: z.array(
    z.object({ code: z.string(), field: z.array(z.string()).nullable(), message: z.string() }),
  ),
});

export type ConfigOutcome = z.infer<typeof outcomeSchema>;

export interface ApplyOptions {
  mode: 'APPLY' | 'SYNC';
  dryRun: boolean;
  selectTag?: string | undefined;
  reason?: string | undefined;
  guard?: GuardTerms | undefined;
}

const PULL = 'query Pull($tenants: Boolean!) { configDocument(tenants: $tenants) }';
const APPLY = `mutation Apply($input: ConfigApplyInput!) { configApply(input: $input) {
  changeId impact { tenants increased decreased } changes { action path fields { field before after } }
  userErrors { code field message } } }`;

export class ControlPlane {
  constructor(private readonly connection: Connection) {}

  async pull(tenants: boolean): Promise<object> {
    const { configDocument } = await this.send(PULL, { tenants }, z.object({ configDocument: z.string() }));
    return z.looseObject({}).parse(JSON.parse(configDocument));
  }

  /** @throws CommandError */
  async apply(document: object, options: ApplyOptions): Promise<ConfigOutcome> {
    const input = { document: JSON.stringify(document), ...options };
    const afterTimeout = options.dryRun
      ? undefined
      : 'The change may still be applied: run tollgate config diff to find out.';
    const answer = z.object({ configApply: outcomeSchema });
    const { configApply } = await this.send(APPLY, { input }, answer, afterTimeout);
    return configApply;
  }

  /**
   * @param afterTimeout what to do if the server does not answer in time
   * @throws CommandError for an unreachable or slow server or a rejected request
   */
  async send<T>(
    query: string,
    variables: object,
    schema: z.ZodType<T>,
    afterTimeout = 'Try again.',
  ): Promise<T> {
    const { url, token } = this.connection;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      if ((error as Error).name === 'TimeoutError') {
        const problem = `${url} has not answered within ${TIMEOUT_MS / 1000} s`;
        throw new CommandError(`${problem}. ${afterTimeout}`, { cause: error });
      }
      throw new CommandError(`${url} cannot be reached: ${causeOf(error)}.`, { cause: error });
    });
    const body: unknown = await response.json().catch(() => undefined);
    const answer = z
      .object({ data: z.unknown(), errors: z.array(z.object({ message: z.string() })).optional() })
      .safeParse(body);
    if (!answer.success) throw new CommandError(`${url} answered ${response.status}, and no GraphQL.`);
    const problem = answer.data.errors?.[0];
    if (problem !== undefined)
      throw new CommandError(`The control plane rejected the request: ${problem.message}`);
    return schema.parse(answer.data.data);
  }
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
