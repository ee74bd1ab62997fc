/** The limit of a copied test. The runners' own limit of 5 s is too short on a busy machine. */
export const PATIENCE_MS = '60000'
