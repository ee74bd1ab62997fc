export type { Time } from '../core/engine/manual-clock.ts'
export type { RouteIds } from '../service/resources/route-module.ts'
export type { Difference } from '../verify/differ.ts'
export type { KnownDifference, ReplayedExchange, ReplayReport } from '../verify/replay.ts'
export {
  type DomainOptions,
  type DomainWithCertificate,
  expiringDomain,
  type FailingOptions,
  failedDomain,
  issuedDomain,
  type RolloutOptions,
  trippingRoute,
  uploadedDomain,
  weightedRollout,
} from './builders.ts'
export {
  certificatePair,
  damagedPair,
  encryptedKeyPair,
  expiredPair,
  type KeyType,
  mismatchedPair,
  notYetValidPair,
  type Pair,
  type PairAroundOptions,
  type PairOptions,
  type PairSubject,
  swappedPair,
  wrongOrderPair,
} from './certificates.ts'
export type { GlobalsOption } from './globals.ts'
export { type GatewayMatchers, type MatcherFunctions, matchers, type Requested } from './matchers.ts'
export { type ReplayOptions, replayRecording } from './replay-recording.ts'
export { type StoreCheck, type StorePlace, storeSuite } from './store-suite.ts'
export { assertStrict, type Strict } from './strict.ts'
export { SurvivalError } from './survives/survival-error.ts'
export { schedules, survives } from './survives/survives.ts'
export type {
  CodeUnderTest,
  Coverage,
  Disk,
  Ended,
  FailureGroup,
  FaultKind,
  Life,
  OptInFaultKind,
  ScheduledFault,
  ScheduleOptions,
  SurvivalProgress,
  SurvivalResult,
  SurvivesOptions,
  TriedSchedule,
  Verdict,
} from './survives/types.ts'
export {
  type DefineTest,
  type TestOptions,
  type TestOptionsOnSystemClock,
  type TestWithGateway,
  type TestWork,
  testWithGateway,
} from './test-with-gateway.ts'
