import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Page } from '../../../components/page.js';
import { OfferCreator } from '../../../features/offers/components/offer-editor.js';

/** A new offer. */
export function OfferNewPage() {
  const t = useTranslations('offers');
  const navigate = useNavigate();
  return (
    <Page title={t('newOffer')} parent={{ label: t('offers'), to: '/offers' }}>
      <OfferCreator
        onCancel={() => void navigate({ to: '/offers' })}
        onCreated={(offerKey) => {
          notifications.show({ message: t('created'), color: 'gate' });
          void navigate({ to: '/offers/$offerKey', params: { offerKey } });
        }}
      />
    </Page>
  );
}
