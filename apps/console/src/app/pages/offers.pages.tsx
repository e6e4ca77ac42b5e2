import { Alert } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { LinkButton } from '../../components/links.js';
import { KeyText } from '../../components/marks.js';
import { EmptyState, MissingPage, Page, Panel, QueryFallback } from '../../components/page.js';
import { offerQuery, offersQuery } from '../../features/offers/api.js';
import { OfferActions, OfferCreator, OfferEditor } from '../../features/offers/offer-editor.js';
import { OfferPreview } from '../../features/offers/offer-form.js';
import { OfferKindBadge, OfferStatusDot, OffersTable } from '../../features/offers/offers-table.js';
import { describePrice } from '../../lib/effect-text.js';
import { notifyDone } from '../../lib/graphql-request.js';

export function OffersPage() {
  const query = useQuery(offersQuery);
  const { data: offers } = query;
  const create = <LinkButton to="/offers/new">Create offer</LinkButton>;
  return (
    <Page
      title="Offers"
      description="Upgrades and top-ups that customers can buy. Upgrades renew; top-ups are bought once and expire."
      actions={create}
    >
      <Panel flush>
        <QueryFallback query={query} rows={4} />
        {offers?.length === 0 && (
          <EmptyState icon={IconTag} title="No offers yet" action={create}>
            An upgrade raises limits while it is paid for. A top-up is bought once and expires. Customers buy
            both in their portal.
          </EmptyState>
        )}
        {offers && offers.length > 0 && <OffersTable offers={offers} />}
      </Panel>
    </Page>
  );
}

const route = getRouteApi('/shell/offers/$offerKey');
const PARENT = { label: 'Offers', to: '/offers' } as const;

export function OfferPage() {
  const { offerKey } = route.useParams();
  const navigate = useNavigate();
  const query = useQuery(offerQuery(offerKey));
  const { data: offer } = query;
  if (offer === undefined) return <QueryFallback query={query} />;
  if (offer === null) {
    return (
      <MissingPage title="Offer not found" parent={PARENT} back="All offers" icon={IconTag}>
        It may have been created under another key.
      </MissingPage>
    );
  }
  return (
    <Page
      title={offer.name}
      parent={PARENT}
      marks={
        <>
          <OfferKindBadge kind={offer.kind} />
          <OfferStatusDot offer={offer} />
        </>
      }
      description={<KeyText>{offer.key}</KeyText>}
      actions={<OfferActions offer={offer} />}
    >
      {offer.status === 'DRAFT' && (
        <Alert color="gate">Customers cannot see this draft until you put it on sale.</Alert>
      )}
      {offer.status !== 'ARCHIVED' && !offer.isPriceConfirmed && (
        <Alert
          color="ember"
          title={`Is ${describePrice(offer.priceMinor, offer.currency, offer.interval)} the right price?`}
        >
          Earlier versions showed amounts in {offer.currency} with other decimals. The offer is not for sale
          until you confirm or change the price.
        </Alert>
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
          onSaved={() => notifyDone('Offer saved')}
        />
      )}
    </Page>
  );
}

export function OfferNewPage() {
  const navigate = useNavigate();
  return (
    <Page title="New offer" parent={PARENT}>
      <OfferCreator
        onCancel={() => void navigate({ to: '/offers' })}
        onCreated={(offerKey) => {
          notifyDone('Draft created. Put it on sale when it is ready.');
          void navigate({ to: '/offers/$offerKey', params: { offerKey } });
        }}
      />
    </Page>
  );
}
