/** The path below which the control API is. */
export const CONTROL_PATH = '/_fauxgate'

/** The header with the control key. */
export const CONTROL_KEY_HEADER = 'Fauxgate-Control-Key'
