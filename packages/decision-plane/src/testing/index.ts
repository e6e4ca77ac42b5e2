export { type LastGood, LastGoodFile } from '../feed/last-good.js';
export { FakeClock } from './fake-clock.js';
export { type FaultProxy, type LossyProxy, startFaultProxy, startLossyProxy } from './fault-proxy.js';
export { TestPlane, type TestPlaneOptions } from './test-plane.js';
export { SHORTENER, TestRelay } from './test-relay.js';
