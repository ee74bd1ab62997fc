/** Matches the frames of the package where it is installed. Their code is minified, and their names say nothing. */
const OWN_FRAME = /[/\\]fauxgate[/\\]dist[/\\]/

/** Matches frames that have a place outside Node itself. */
const FRAME_WITH_PLACE = /^\s*at (?!.*\(?(?:node:|<anonymous>)).*:\d+/

/**
 * Removes the frames of the package from the stack of an error about a mistake of the caller, so that runners show the
 * caller's line. Returns the error. It changes nothing if no other frame is left.
 */
export function atCaller<E extends Error>(error: E): E {
  const { stack } = error
  const without = stack === undefined ? undefined : withoutOwnFrames(stack)
  if (without !== stack) Reflect.defineProperty(error, 'stack', { value: without, writable: true, configurable: true })
  return error
}

/** Removes the frames of the package below the first one: those of the wrapper of a test, which say nothing about its error. */
export function withoutWrapperFrames(stack: string): string {
  const first = stack.split('\n').find((line) => /^\s*at /.test(line))
  return first !== undefined && OWN_FRAME.test(first) ? stack : withoutOwnFrames(stack)
}

/** Removes the frames of the package from a stack, unless no other frame is left. */
function withoutOwnFrames(stack: string): string {
  if (!OWN_FRAME.test(stack)) return stack
  const others = stack.split('\n').filter((line) => !(/^\s*at /.test(line) && OWN_FRAME.test(line)))
  return others.some((line) => FRAME_WITH_PLACE.test(line)) ? others.join('\n') : stack
}
