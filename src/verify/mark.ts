/** What each name begins with that a run gives; the run's own part follows. */
export const MARK = 'fauxgate-verify-'
