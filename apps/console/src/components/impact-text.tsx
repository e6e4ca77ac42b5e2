import { useTranslations } from 'use-intl';

interface Impact {
  tenants: number;
  loosened: number;
  tightened: number;
}

/** Whom a change reaches, as a dry run has said. */
export function ImpactText({ impact }: { impact: Impact | null | undefined }) {
  const t = useTranslations('common');
  if (impact === undefined) return t('impactUnknown');
  if (impact === null || impact.tenants === 0) return t('impactNone');
  const { tenants, loosened, tightened } = impact;
  return t('impact', { tenants, loosened, tightened });
}
