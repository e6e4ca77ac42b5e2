import { Text } from '@mantine/core';
import { DataTable } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { formatAmount } from '../../../lib/limit-amount.js';
import { ruleOf } from '../../../lib/limit-rule.js';
import type { TierOnApi } from '../api/api.js';

/** What each tier's published version allows on one API. */
export function ApiLimits({ apiKey, tiers }: { apiKey: string; tiers: readonly TierOnApi[] }) {
  const rows = tiers
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap((tier) =>
      (tier.published?.limits ?? [])
        .filter((limit) => limit.policy.api === apiKey)
        .map((limit) => ({ tier, limit })),
    );
  return (
    <Panel title="Limits by tier" flush>
      {rows.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          No tier limits this API. Add a limit to a tier.
        </Text>
      ) : (
        <DataTable
          label="Limits by tier"
          columns={[{ name: 'Tier' }, { name: 'Limit' }, { name: 'Meaning' }]}
        >
          {rows.map(({ tier, limit }) => (
            <tr key={limit.id}>
              <th scope="row">
                <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} c="inherit">
                  {tier.name}
                </LinkAnchor>
              </th>
              <td style={{ whiteSpace: 'nowrap', fontWeight: 500 }}>{formatAmount(ruleOf(limit.policy))}</td>
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
