export { type BrowserOptions, launchBrowser, type TestBrowser } from './browser.js';
export { type DecisionApiProcess, startDecisionApiProcess } from './decision-api-process.js';
export { startPgBouncer, type TestPgBouncer } from './pgbouncer.js';
export { type LogLine, ProgramProcess } from './program-process.js';
export { codeBlocksOf, type ExampleRun, type Importable, runExample } from './readme-examples.js';
export { createDocumentedUsers, findUnnamedRefusals } from './redis-users.js';
export { AS_LOCALHOST, type Certificate, selfSignedCertificate } from './self-signed-certificate.js';
export { applicationUrl, createTestDatabase, TEST_SCOPE_SECRET, type TestDatabase } from './test-database.js';
export { createTestRedis, startRealRedis } from './test-redis.js';
