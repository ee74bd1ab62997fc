export type { Time } from '../engine/manual-clock.ts'
export {
  certificatePair,
  expiredPair,
  type KeyType,
  notYetValidPair,
  type Pair,
  type PairAroundOptions,
  type PairOptions,
  type PairSubject,
} from './certificates.ts'
export {
  damagedPair,
  encryptedKeyPair,
  mismatchedPair,
  swappedPair,
  wrongOrderPair,
} from './certificates-broken.ts'
