export { type Adjusted, AdjustmentService } from './adjustment.service.js';
export {
  type AdjustmentEffect,
  AdjustmentEffectInput,
  AdjustmentInput,
  EffectKind,
  LimitPreview,
  PlacedAdjustment,
} from './adjustment-input.graphql.js';
export { adjustmentSchema, mandatoryReason, showEffect, targetSchema } from './adjustment-input.rules.js';
export { AdjustmentsPlanner, TooManyAdjustments } from './adjustments.planner.js';
export { targetOf } from './adjustments.repository.js';
export { isPast } from './entitlement.rules.js';
export { EntitlementGrantsService } from './entitlement-grants.service.js';
export { EntitlementsModule } from './entitlements.module.js';
export { EntitlementsRepository } from './entitlements.repository.js';
export { EntitlementsResolver } from './entitlements.resolver.js';
export { EntitlementsService, type Grant } from './entitlements.service.js';
export {
  findHiddenPurchases,
  findPurchaseEffects,
  type PurchaseEffects,
} from './purchase-effects.rules.js';
