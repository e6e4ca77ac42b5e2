import { Text } from '@mantine/core';
import { IconWaveSine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { CopyBlock } from '../../../components/copy-block.js';
import { EmptyState } from '../../../components/empty-state.js';
import { LinkAnchor } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { liveExampleQuery } from '../api/example.js';

/** Before the first decision: how to make one. */
export function NoTraffic() {
  const t = useTranslations('live.noTrafficPanel');
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
        title={t('title')}
        action={
          <div style={{ width: 'min(620px, 78vw)' }}>
            <CopyBlock text={command} label={t('copy')} />
            <Text size="sm" c="dimmed" mt="xs">
              {t.rich('variables', {
                code: (text) => <code>{text}</code>,
                link: (text) => (
                  <LinkAnchor to="/service-tokens" underline="always">
                    {text}
                  </LinkAnchor>
                ),
              })}
            </Text>
          </div>
        }
      >
        {t('text')}
      </EmptyState>
    </Panel>
  );
}
