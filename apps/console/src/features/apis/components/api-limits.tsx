import { Text } from '@mantine/core';
import { DataTable } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import type { ApiQuery } from '../../../generated/graphql.js';
import { formatRate } from '../../../lib/rate.js';

/** What each tier's published version allows on one API. */
export function ApiLimits({ apiKey, tiers }: { apiKey: string; tiers: ApiQuery['tiers']['nodes'] }) {
  const rows = tiers
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap((tier) =>
      (tier.published?.limits ?? [])
        .filter((limit) => limit.apiKey === apiKey)
        .map((limit) => ({ tier, limit })),
    );
  return (
    <Panel title="Limits by tier" flush>
      {rows.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          No tier limits this API. Open a tier and add a limit to change that.
        </Text>
      ) : (
        <DataTable label="Limits by tier" columns={[{ name: 'Tier' }, { name: 'Rate' }, { name: 'Meaning' }]}>
          {rows.map(({ tier, limit }) => (
            <tr key={limit.id}>
              <th scope="row">
                <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} c="inherit">
                  {tier.name}
                </LinkAnchor>
              </th>
              <td style={{ whiteSpace: 'nowrap', fontWeight: 500 }}>{formatRate(limit)}</td>
              <td>
                <Text span size="sm" c="dimmed" style={{ display: 'block', minWidth: 220 }}>
                  {limit.summary}
                </Text>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
