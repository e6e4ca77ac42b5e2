export { freePort } from './free-port.js';
export { startOwnedService } from './owned-service.js';
export { takeOverDirectory } from './owner-file.js';
export { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './postgres.js';
export {
  type EmbeddedRedis,
  type RedisKind,
  type RedisOptions,
  startRedis,
} from './redis.js';
export type { ServiceCommand, ServiceProcess } from './service-process.js';
