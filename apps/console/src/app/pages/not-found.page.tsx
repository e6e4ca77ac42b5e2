import { IconMapQuestion } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../components/empty-state.js';
import { LinkButton } from '../../components/link.js';
import { Page } from '../../components/page.js';

/** For addresses that name no page. */
export function NotFoundPage() {
  const t = useTranslations('pages.notFound');
  return (
    <Page title={t('pageNotFound')}>
      <EmptyState
        icon={<IconMapQuestion size={30} stroke={1.5} aria-hidden />}
        title={t('thereIsNothingAt')}
        action={
          <LinkButton to="/" variant="default">
            {t('goToTheLive')}
          </LinkButton>
        }
      >
        {t('itMayHaveBeen')}
      </EmptyState>
    </Page>
  );
}
