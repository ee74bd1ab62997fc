/**
 * What was caught where nothing but errors is thrown, with what Node adds to those of the system. By its type alone: in
 * Jest, errors of Node itself are of another realm.
 */
export function caught(error: unknown): NodeJS.ErrnoException {
  return error as NodeJS.ErrnoException // Nothing else is thrown where this is asked.
}
