export {
  FakeClock,
  type FaultProxy,
  type LossyProxy,
  startFaultProxy,
  startLossyProxy,
} from '@tollgate/limiter/testing';
export { type LastGood, LastGoodFile } from '../feed/last-good.js';
export { TestPlane, type TestPlaneOptions } from './test-plane.js';
export { SHORTENER, TestRelay } from './test-relay.js';
