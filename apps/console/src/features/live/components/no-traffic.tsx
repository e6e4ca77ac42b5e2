import { Text } from '@mantine/core';
import { IconWaveSine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CopyBlock } from '../../../components/copy-block.js';
import { EmptyState } from '../../../components/empty-state.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { liveExampleQuery } from '../api/example.js';

/** Before the first decision: how to make one. */
export function NoTraffic() {
  const { data: example } = useQuery(liveExampleQuery);
  const body = JSON.stringify(example ?? { tenant: 'acme', api: 'url-shortener', operation: 'createURL' });
  const command = [
    'curl -s "$TOLLGATE_URL/v1/limit" \\',
    '  -H "Authorization: Bearer $TOLLGATE_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ].join('\n');
  return (
    <Panel>
      <EmptyState
        icon={<IconWaveSine size={32} stroke={1.4} color="var(--tg-allowed)" aria-hidden />}
        title="No recent decisions"
        action={
          <div style={{ width: 'min(620px, 78vw)' }}>
            <CopyBlock text={command} label="Copy command" />
            <Text size="sm" c="dimmed" mt="xs">
              <code>TOLLGATE_URL</code> is the address of the decision API, printed at start. Create a{' '}
              <code>TOLLGATE_TOKEN</code> under{' '}
              <LinkAnchor to="/service-tokens" underline="always">
                Service tokens
              </LinkAnchor>
              .
            </Text>
          </div>
        }
      >
        Decisions appear here as services request them. Run this a few times:
      </EmptyState>
    </Panel>
  );
}
