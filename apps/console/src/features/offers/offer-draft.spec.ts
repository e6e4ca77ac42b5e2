import { configDocumentSchema } from '@tollgate/contracts';
import { expect, it } from 'vitest';
import { NEW_OFFER, type OfferDraft, offerConfig, readDraft } from './offer-draft.js';

it.each<Partial<OfferDraft>>([
  { kind: 'TOPUP', stock: '100', description: 'Once.' },
  {
    kind: 'UPGRADE',
    tierKeys: ['pro'],
    effects: [{ ...NEW_OFFER.effects[0], kind: 'MULTIPLY', amount: '200 %' }] as never,
  },
])('is what a configuration takes: %o', (part) => {
  const draft = { ...NEW_OFFER, key: 'more', name: 'More', price: '19', ...part };
  const config = offerConfig(draft, readDraft(draft), 'ACTIVE');
  expect(configDocumentSchema.safeParse({ version: 1, ...config }).error).toBeUndefined();
});
