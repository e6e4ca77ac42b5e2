import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.js';
import { TierComparison } from '../../features/tiers/components/tier-comparison.js';

const route = getRouteApi('/shell/tiers/compare');
const PARENT = { label: 'Tiers', to: '/tiers' } as const;

/** In what two tiers, or two versions of one, differ; which two stands in the address. */
export function TierComparePage() {
  const t = useTranslations('tiers');
  const { a, av, b, bv } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page title={t('compareTitle')} parent={PARENT} description={t('compareText')}>
      <TierComparison
        a={{ tierKey: a, version: av }}
        b={{ tierKey: b, version: bv }}
        onChange={(first, second) =>
          void navigate({
            to: '/tiers/compare',
            search: {
              ...(first.tierKey === undefined ? {} : { a: first.tierKey }),
              ...(first.version === undefined ? {} : { av: first.version }),
              ...(second.tierKey === undefined ? {} : { b: second.tierKey }),
              ...(second.version === undefined ? {} : { bv: second.version }),
            },
            replace: true,
          })
        }
      />
    </Page>
  );
}
