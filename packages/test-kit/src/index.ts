export { createFakeClock, type FakeClock } from './fake-clock.js';
export { type FaultProxy, startFaultProxy } from './fault-proxy.js';
export { type BrowserOptions, launchBrowser, type TestBrowser } from './launch-browser.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { createTestRedis, hasRedisServer, startRealRedis } from './test-redis.js';
