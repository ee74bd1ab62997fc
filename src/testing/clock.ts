export { type Timers, timersOn } from './timers.ts'
