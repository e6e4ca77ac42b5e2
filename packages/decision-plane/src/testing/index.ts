export { type LastGood, LastGoodFile } from '../feed/last-good.js';
export { FakeClock } from './fake-clock.js';
export { type FaultProxy, startFaultProxy } from './fault-proxy.js';
export { type LossyProxy, startLossyProxy } from './lossy-proxy.js';
export { TestPlane, type TestPlaneOptions } from './test-plane.js';
export { SHORTENER, TestRelay } from './test-relay.js';
