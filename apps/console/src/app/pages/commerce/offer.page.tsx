import { Alert } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { KeyText } from '../../../components/key-text.js';
import { LinkButton } from '../../../components/link.js';
import { Page, PageSkeleton } from '../../../components/page.js';
import { offerQuery } from '../../../features/offers/api/offers.js';
import { OfferActions } from '../../../features/offers/components/offer-actions.js';
import { OfferEditor } from '../../../features/offers/components/offer-editor.js';
import { OfferKindBadge, OfferStatusDot } from '../../../features/offers/components/offer-kind.js';
import { OfferPreview } from '../../../features/offers/components/offer-preview.js';

const route = getRouteApi('/shell/offers/$offerKey');

/** One offer: its terms, and whether it is sold. */
export function OfferPage() {
  const { offerKey } = route.useParams();
  const navigate = useNavigate();
  const { data: offer, error, refetch } = useQuery(offerQuery(offerKey));
  const parent = { label: 'Offers', to: '/offers' } as const;
  if (error && offer === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (offer === undefined) return <PageSkeleton />;
  if (offer === null) {
    return (
      <Page title="Offer not found" parent={parent}>
        <EmptyState
          icon={<IconTag size={30} stroke={1.5} aria-hidden />}
          title="Offer not found"
          action={
            <LinkButton to="/offers" variant="default">
              All offers
            </LinkButton>
          }
        >
          It may have been created under another key.
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={offer.name}
      parent={parent}
      marks={
        <>
          <OfferKindBadge kind={offer.kind} />
          <OfferStatusDot status={offer.status} />
        </>
      }
      description={<KeyText>{offer.key}</KeyText>}
      actions={<OfferActions offer={offer} />}
    >
      {offer.status === 'DRAFT' && (
        <Alert color="gate">Customers cannot see this draft until you put it on sale.</Alert>
      )}
      {offer.status === 'ARCHIVED' ? (
        <>
          <Alert color="ochre">This offer is archived. Existing purchases continue.</Alert>
          <OfferPreview name={offer.name} description={offer.description} terms={offer} />
        </>
      ) : (
        <OfferEditor
          key={offer.key}
          offer={offer}
          onCancel={() => void navigate({ to: '/offers' })}
          onSaved={() => notifications.show({ message: 'Offer saved', color: 'gate' })}
        />
      )}
    </Page>
  );
}
