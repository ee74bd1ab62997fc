export { type ManualClock, manualClock, type Time, type Timers } from './manual-clock.ts'
