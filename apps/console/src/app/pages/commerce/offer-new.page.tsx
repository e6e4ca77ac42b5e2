import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Page } from '../../../components/page.js';
import { OfferCreator } from '../../../features/offers/components/offer-editor.js';

/** A new offer. */
export function OfferNewPage() {
  const navigate = useNavigate();
  return (
    <Page title="New offer" parent={{ label: 'Offers', to: '/offers' }}>
      <OfferCreator
        onCancel={() => void navigate({ to: '/offers' })}
        onCreated={(offerKey) => {
          notifications.show({ message: 'Draft created. Put it on sale when it is ready.', color: 'gate' });
          void navigate({ to: '/offers/$offerKey', params: { offerKey } });
        }}
      />
    </Page>
  );
}
