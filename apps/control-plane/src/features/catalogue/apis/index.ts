export { Api, ApiChangePayload } from './apis.graphql.js';
export { ApisModule } from './apis.module.js';
export { type ApiRow, ApisRepository, type ApiWithParts } from './apis.repository.js';
export { ApisResolver } from './apis.resolver.js';
export { ApisService } from './apis.service.js';
export { fromWireStyles, isDefaultStyles, toWireStyles } from './header-styles.js';
export { KEPT_VERSIONS } from './pools.repository.js';
export { PoolLiveResolver, PoolsResolver } from './pools.resolver.js';
export { PoolsService } from './pools.service.js';
