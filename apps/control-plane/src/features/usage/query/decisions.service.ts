import { Injectable } from '@nestjs/common';
import { decisionSampleSchema, dimensionSchema, type Reason } from '@tollgate/contracts';
import { dimensionValue } from '@tollgate/limiter/rules';
import { badInput } from '../../../platform/api-error.js';
import { type Connection, type Page, toConnection } from '../../../platform/graphql/connection.js';
import { type DecisionSubjectInput, TenantsRepository } from '../../customers/index.js';
import {
  type SampleFilter,
  type SampleRow,
  SamplesRepository,
  SubjectHash,
} from '../journal/journal.repository.js';
import type { Decision, DecisionsArgs, PolicyMode } from './decisions.graphql.js';
import { parseFilter } from './usage.service.js';

@Injectable()
export class DecisionsService {
  constructor(
    private readonly samples: SamplesRepository,
    private readonly tenants: TenantsRepository,
    private readonly subjects: SubjectHash,
  ) {}

  /** Empty if the tenant does not exist. @throws ApiError BAD_USER_INPUT for invalid names */
  async list(
    args: DecisionsArgs,
    page: Page<string>,
    encode: (id: string) => string,
  ): Promise<Connection<Decision>> {
    const { apiKey, operation, limitName } = parseFilter(args);
    const value = parseSubject(args.subject);
    const tenant = await this.tenants.findByKey(args.tenantKey);
    if (tenant === null)
      return toConnection<Decision, string>(
        [],
        page,
        ({ id }) => encode(id),
        async () => 0,
      );
    const filter: SampleFilter = {
      apiKey: apiKey ?? undefined,
      operation: operation ?? undefined,
      limitName: limitName ?? undefined,
      outcome: args.outcome ?? undefined,
      subject: value && {
        dimension: value.dimension,
        hash: this.subjects.of(tenant.id, value.dimension, value.written),
      },
    };
    const rows = await this.samples.list(tenant.id, filter, page);
    return toConnection(
      rows.map((row) => decisionOf(row, tenant.key)),
      page,
      ({ id }) => encode(id),
      () => this.samples.count(tenant.id, filter),
    );
  }

  /** The newest decision with a request id, in one tenant or in all visible ones; null if it was not sampled. */
  async findByRequest(requestId: string, tenantKey: string | null | undefined): Promise<Decision | null> {
    const tenant = tenantKey == null ? undefined : await this.tenants.findByKey(tenantKey);
    if (tenant === null) return null;
    const row = await this.samples.findByRequest(requestId, tenant?.id);
    const owner = row && (tenant ?? (await this.tenants.findById(row.tenantId)));
    return row && owner && decisionOf(row, owner.key);
  }

  /** Sampled decisions of a decision's tenant in the milliseconds up to it, newest first; those stored long after it are missing. */
  async listBefore({ id, tenantKey, at }: Decision, ms: number): Promise<Decision[]> {
    const tenant = await this.tenants.findByKey(tenantKey);
    const range = { from: new Date(at.getTime() - ms), to: at };
    const rows = tenant === null ? [] : await this.samples.listBefore(tenant.id, BigInt(id), range);
    return rows.map((row) => decisionOf(row, tenantKey));
  }
}

/** Normalizes a subject as counters do. @throws ApiError BAD_USER_INPUT for an invalid dimension or value */
function parseSubject(
  subject: DecisionSubjectInput | null | undefined,
): { dimension: string; written: string } | undefined {
  if (subject == null) return undefined;
  const { dimension, value } = subject;
  const written = dimensionSchema.safeParse(dimension).success ? dimensionValue(dimension, value) : undefined;
  if (written === undefined || value === '') throw badInput('subject must have a valid dimension and value');
  return { dimension, written };
}

function decisionOf(row: SampleRow, tenantKey: string): Decision {
  const { id, api, cost, policies, subject, reason, tenantId: _, ...rest } = row;
  return {
    ...rest,
    id: `${id}`,
    tenantKey,
    apiKey: api,
    cost: Number(cost),
    reason: reason as Reason,
    subject: Object.entries(subject as Record<string, string>).map(([dimension, pseudonym]) => ({
      dimension,
      pseudonym,
    })),
    policies: decisionSampleSchema.shape.policies
      .parse(policies)
      .map(({ name, label, reset, mode, ...policy }) => ({
        ...policy,
        limitName: name,
        label: label ?? null,
        resetAt: new Date(reset),
        mode: mode.toUpperCase() as PolicyMode,
      })),
  };
}
