/**
 * When the clocks of tests start, in ms: in January 2026, or at `FAUXGATE_CLOCK_START`. A test must not pass only because its clock
 * starts at a whole second, or in January.
 */
export const CLOCK_START = Number(process.env.FAUXGATE_CLOCK_START ?? Date.UTC(2026, 0, 1))

/** The start as responses show it: in whole seconds. */
export const SHOWN_START = new Date(CLOCK_START).toISOString().replace(/\.\d+Z$/, 'Z')

/** The start with its milliseconds, if it has any. */
export const EXACT_START = new Date(CLOCK_START).toISOString().replace('.000Z', 'Z')
