import { Injectable } from '@nestjs/common';
import type { NodeReport } from '@tollgate/contracts';
import { isStale, readNodeReports } from '@tollgate/decision-plane/operate';
import * as z from 'zod';
import type { Caller } from '../../platform/access/actor.js';
import { ChangeRunner } from '../../platform/changes/change.js';
import { notFound, type Outcome, optionalNote, parseInput, refuse } from '../../platform/changes/outcome.js';
import { Clock } from '../../platform/clock.js';
import { RedisConnections } from '../../platform/redis.js';
import type { DecisionNode, NodeRetireInput } from './distribution.graphql.js';
import { type NodeRow, NodesRepository } from './nodes.repository.js';

export const nodeRetireSchema = z.object({
  nodeId: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'Not a valid node id'),
  reason: optionalNote,
});

@Injectable()
export class NodesService {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly changes: ChangeRunner,
    private readonly redis: RedisConnections,
    private readonly clock: Clock,
  ) {}

  /** The registry merged with current reports, by id. A new node reports before it is registered. */
  async list(includeRetired: boolean): Promise<DecisionNode[]> {
    const now = this.clock.now();
    const reports = new Map(
      (await readNodeReports(this.redis.config)).map((report) => [report.nodeId, report]),
    );
    const rows = new Map((await this.nodes.list(true)).map((row) => [row.nodeId, row]));
    return [...new Set([...rows.keys(), ...reports.keys()])].sort().flatMap((nodeId) => {
      const report = reports.get(nodeId);
      const row = rows.get(nodeId);
      // A retired node that reports again is active, even before the registry is updated.
      const isRetired = row?.retiredAt != null && (report === undefined || isStale(report, now.getTime()));
      if (isRetired && !includeRetired) return [];
      return report === undefined ? fromRow(row) : [fromReport(report, row, isRetired, now)];
    });
  }

  /** Errors: INVALID, NOT_FOUND. */
  async retire(caller: Caller, input: NodeRetireInput): Promise<Outcome<string>> {
    const parsed = parseInput(nodeRetireSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { nodeId, reason } = parsed.data;
    return this.changes.run<string>(caller, { reason }, async (change) => {
      const row = await this.nodes.find(change.tx, nodeId);
      if (row === null) return refuse([notFound(['nodeId'], `node "${nodeId}"`)]);
      if ((await this.nodes.retire(change.tx, [nodeId], this.clock.now())) > 0) {
        await change.audit({
          action: 'node.retire',
          entityId: nodeId,
          entityName: nodeId,
          before: { lastSeenAt: row.lastSeenAt.toISOString(), revision: row.revision },
          after: null,
        });
      }
      return nodeId;
    });
  }
}

function fromReport(
  report: NodeReport,
  row: NodeRow | undefined,
  isRetired: boolean,
  now: Date,
): DecisionNode {
  return {
    ...report,
    startedAt: new Date(report.startedAtMs),
    seenAt: new Date(report.seenAtMs),
    firstSeenAt: row?.firstSeenAt ?? new Date(report.startedAtMs),
    policyAgeMs: report.policyAgeMs ?? null,
    policyStale: report.policyStale ?? false,
    stale: !isRetired && isStale(report, now.getTime()),
    retiredAt: isRetired ? (row?.retiredAt ?? null) : null,
  };
}

function fromRow(row: NodeRow | undefined): DecisionNode[] {
  if (row === undefined) return [];
  const { nodeId, epoch, version, revision, startedAt, firstSeenAt, lastSeenAt, retiredAt } = row;
  const unknown = {
    applyLatencyMs: null,
    nack: null,
    degraded: false,
    policyAgeMs: null,
    policyStale: false,
  };
  const known = { nodeId, epoch, version, revision, startedAt, firstSeenAt, seenAt: lastSeenAt, retiredAt };
  return [{ ...known, ...unknown, stale: retiredAt === null }];
}
