/** Random bytes: the draw with a number in a stream, as a function that answers `size` more bytes at each call. */
export type Draw = (stream: string, number: number) => (size: number) => Uint8Array
