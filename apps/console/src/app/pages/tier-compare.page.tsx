import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../components/page.js';
import { TierComparison } from '../../features/tiers/components/tier-comparison.js';

const route = getRouteApi('/shell/tiers/compare');
const PARENT = { label: 'Tiers', to: '/tiers' } as const;

/** In what two tiers, or two versions of one, differ; which two stands in the address. */
export function TierComparePage() {
  const { a, av, b, bv } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page
      title="Compare tiers"
      parent={PARENT}
      description="Differences between two versions of one tier or two."
    >
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
