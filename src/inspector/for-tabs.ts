/** The exports of the page's modules that tabs loaded later take: scripts/build/inspector.mjs lists them. */
export const shared: object = {}
