export { APP_ROLE, findLoginProblems, loginSql, prepareApplication, withLogin } from './application-login.js';
export * from './generated/client/client.js';
export { findMigrationDrift, migrateDeploy } from './migrations.js';
export { createPrismaClient } from './prisma-client.js';
export { runStatement, withDatabase } from './schema-engine/postgres-driver.js';
export { scopeKeyOf, signSetting } from './scope-signature.js';
