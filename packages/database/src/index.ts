export * from './generated/client/client.js';
export { findMigrationDrift, migrateDeploy } from './migrations.js';
export { APP_ROLE, createPrismaClient } from './prisma-client.js';
export { runStatement } from './schema-engine/postgres-driver.js';
export { withDatabase } from './schema-engine/postgres-url.js';
