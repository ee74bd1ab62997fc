/** The path prefix of the control API. */
export const CONTROL_PATH = '/_fauxgate'

/** The header that contains the control key. */
export const CONTROL_KEY_HEADER = 'Fauxgate-Control-Key'
