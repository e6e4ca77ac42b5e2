export { CounterReplay } from './replay/counter-replay.js';
export { denialBounds, quotaBounds, type UsageBucket } from './replay/denial-bounds.js';
export type { ReplayPolicy } from './replay/policy.js';
export { type NamedHash, NamedValues } from './replay/recorded-values.js';
export { type ReplayOptions, replayTraffic, TrafficReplay } from './replay/replay.js';
export { replayOnThread } from './replay/replay-thread.js';
export { MAX_MISMATCH, type ReplayResult } from './replay/result.js';
export type { StartUsage } from './replay/side.js';
export { warmUpOf } from './replay/warm-up.js';
export {
  BlockBuilder,
  BlockCopier,
  TRAFFIC_FLAGS,
  type TrafficBlock,
  type TrafficSubject,
} from './traffic/block.js';
export { decodeBlock, encodeBlock, packBlock, unpackBlock } from './traffic/block-codec.js';
export { BlockEncoder } from './traffic/block-encoder.js';
export { InvalidTraffic } from './traffic/bytes.js';
export { readRecording, writeRecording } from './traffic/recording-file.js';
