export * from './generated/client/client.js';
export { APP_ROLE, checkLogin, type LoginCheck } from './login-check.js';
export { findMigrationDrift, migrateDeploy } from './migrations.js';
export { DeploymentError, deployDatabase } from './preflight.js';
export { createPrismaClient } from './prisma-client.js';
export { runStatement, withDatabase, withLogin } from './schema-engine/postgres-driver.js';
export { scopeKeyOf, signSetting } from './scope-signature.js';
