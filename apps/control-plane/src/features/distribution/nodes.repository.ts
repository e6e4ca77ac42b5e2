import { Injectable } from '@nestjs/common';
import type { NodeReport } from '@tollgate/contracts';
import type { DecisionNode } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

export type NodeRow = DecisionNode;

/** Minimum time between writes of an unchanged node. */
const SEEN_PRECISION_MS = 5000;

/** The registry outlives the reports in Redis. */
@Injectable()
export class NodesRepository {
  constructor(private readonly database: Database) {}

  list(includeRetired: boolean): Promise<NodeRow[]> {
    return this.database.client.decisionNode.findMany({
      where: includeRetired ? {} : { retiredAt: null },
      orderBy: { nodeId: 'asc' },
    });
  }

  find(tx: Tx, nodeId: string): Promise<NodeRow | null> {
    return tx.decisionNode.findUnique({ where: { nodeId } });
  }

  /** A node that reports is neither stale nor retired. */
  async recordReports(tx: Tx, reports: readonly NodeReport[], at: Date): Promise<void> {
    const rows = reports.map(({ nodeId, epoch, version, revision, startedAtMs }) => ({
      nodeId,
      epoch,
      version,
      revision,
      startedAt: new Date(startedAtMs),
    }));
    await tx.$executeRaw`
      INSERT INTO "decision_node" AS n ("node_id", "epoch", "version", "revision", "started_at", "first_seen_at", "last_seen_at")
      SELECT r."nodeId", r."epoch", r."version", r."revision", r."startedAt", ${at}, ${at}
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS r("nodeId" text, "epoch" text, "version" text, "revision" int, "startedAt" timestamptz)
      ON CONFLICT ("node_id") DO UPDATE SET
        "epoch" = EXCLUDED."epoch", "version" = EXCLUDED."version", "revision" = EXCLUDED."revision",
        "started_at" = EXCLUDED."started_at", "last_seen_at" = EXCLUDED."last_seen_at",
        "stale_since" = NULL, "retired_at" = NULL
      WHERE n."last_seen_at" < ${new Date(at.getTime() - SEEN_PRECISION_MS)}
        OR (n."epoch", n."version", n."revision") <> (EXCLUDED."epoch", EXCLUDED."version", EXCLUDED."revision")
        OR n."stale_since" IS NOT NULL OR n."retired_at" IS NOT NULL`;
  }

  /** Returns the number of nodes that were not retired. */
  async retire(tx: Tx, nodeIds: readonly string[], at: Date): Promise<number> {
    const { count } = await tx.decisionNode.updateMany({
      where: { nodeId: { in: [...nodeIds] }, retiredAt: null },
      data: { retiredAt: at, staleSince: null },
    });
    return count;
  }

  /** Returns nodes that were not stale before. */
  markStale(tx: Tx, before: Date, at: Date): Promise<NodeRow[]> {
    return tx.decisionNode.updateManyAndReturn({
      where: { lastSeenAt: { lt: before }, staleSince: null, retiredAt: null },
      data: { staleSince: at },
    });
  }
}
