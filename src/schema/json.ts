/** Whether a value is a JSON object, from whichever realm: no array, no `Map`, no `Date`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]'
}
