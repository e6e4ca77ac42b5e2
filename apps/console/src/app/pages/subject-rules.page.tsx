import { IconUserShield } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { EmptyState, Page } from '../../components/page.js';
import { SubjectRulesPanel } from '../../features/adjustments/subject-rules-panel.js';
import { apisQuery } from '../../features/apis/api.js';
import { AddToChangeSet } from '../../features/change-sets/add-to-change-set.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { readersZone } from '../../lib/time-format.js';

/** Deny and allow lists for all tenants. */
export function SubjectRulesPage() {
  const { data } = useQuery(apisQuery);
  const timeZone = readersZone();
  return (
    <Page
      title="Subject rules"
      description="Users, keys and networks to deny or exempt in requests of every tenant. The page of a tenant has its own rules."
    >
      <SubjectRulesPanel
        title="Rules for all tenants"
        note={`Deny precedes exempt; times in ${timeZone}`}
        empty={
          <EmptyState icon={IconUserShield} title="No rules for all tenants">
            Deny a network that attacks you, or exempt the key of your monitoring. A rule can end
            automatically.
          </EmptyState>
        }
        owner={{
          ...{ key: null, name: 'all tenants', timeZone, limits: [] },
          apis: data?.nodes.map(({ key }) => key) ?? [],
        }}
        onChanged={followChange}
        aside={(call, onAdded) => <AddToChangeSet calls={[call]} onAdded={onAdded} />}
      />
    </Page>
  );
}
