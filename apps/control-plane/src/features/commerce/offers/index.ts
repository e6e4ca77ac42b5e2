export { type OfferEffect, offerEffectsSchema, timesQuantity } from './offer.effects.js';
export {
  OfferEffect as OfferEffectType,
  OfferEffectKind,
  OfferEffectTarget,
  showEffect,
} from './offer-effects.graphql.js';
export { Offer } from './offers.graphql.js';
export { OffersModule } from './offers.module.js';
export { type OfferRow, OffersRepository } from './offers.repository.js';
export { OffersResolver } from './offers.resolver.js';
export { OffersService } from './offers.service.js';
