/** The exports of the page's modules that later parts take: scripts/build/inspector.mjs lists them. */
export const shared: object = {}
