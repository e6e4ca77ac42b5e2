export { startOnPort } from './free-port.js';
export { startOwnedService, takeOverDirectory } from './owned-service.js';
export { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './postgres.js';
export {
  type EmbeddedRedis,
  type RedisKind,
  type RedisOptions,
  startRedis,
} from './redis.js';
export type { ServiceCommand, ServiceProcess } from './service-process.js';
