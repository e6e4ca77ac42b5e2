import { Injectable } from '@nestjs/common';
import type { NodeReport } from '@tollgate/contracts';
import type { DecisionNode } from '@tollgate/database';
import { Database, type Tx } from '../../platform/prisma/database.js';

export type NodeRow = DecisionNode;

/** A node that reports is written down again after this, when nothing else about it has changed. */
const SEEN_PRECISION_MS = 5000;

/** The registry of nodes: what is known of them when their reports are forgotten. */
@Injectable()
export class NodesRepository {
  constructor(private readonly database: Database) {}

  /** By id, retired ones left out unless they are asked for. */
  list(includeRetired: boolean): Promise<NodeRow[]> {
    return this.database.client.decisionNode.findMany({
      where: includeRetired ? {} : { retiredAt: null },
      orderBy: { nodeId: 'asc' },
    });
  }

  find(tx: Tx, nodeId: string): Promise<NodeRow | null> {
    return tx.decisionNode.findUnique({ where: { nodeId } });
  }

  /** Writes down who reports: such a node is neither stale nor retired. */
  async seen(tx: Tx, reports: readonly NodeReport[], at: Date): Promise<void> {
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

  /** These nodes will not come back, or not soon; @returns how many there are of them. */
  async retire(tx: Tx, nodeIds: readonly string[], at: Date): Promise<number> {
    const { count } = await tx.decisionNode.updateMany({
      where: { nodeId: { in: [...nodeIds] }, retiredAt: null },
      data: { retiredAt: at, staleSince: null },
    });
    return count;
  }

  /** Marks nodes that were last seen before `before`; @returns those that were not marked yet. */
  markStale(tx: Tx, before: Date, at: Date): Promise<NodeRow[]> {
    return tx.decisionNode.updateManyAndReturn({
      where: { lastSeenAt: { lt: before }, staleSince: null, retiredAt: null },
      data: { staleSince: at },
    });
  }
}
