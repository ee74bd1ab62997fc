/** The pages for people, each one document, packed by gzip and written in base64. The build makes them from src/inspector. */
export const inspector: string
export const account: string
