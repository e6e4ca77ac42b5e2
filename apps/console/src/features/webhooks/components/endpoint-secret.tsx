import { useTranslations } from 'use-intl';
import { SecretModal } from '../../../components/secret-modal.js';

/** What an endpoint's deliveries are signed with from now on, this once. */
export function EndpointSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useTranslations('webhooks');
  return (
    <SecretModal
      title={t('secretTitle')}
      hint={t('secretHint')}
      secret={secret}
      copyLabel={t('secretCopy')}
      doneLabel={t('stored')}
      onClose={onClose}
    />
  );
}
