/** Matches stack frames from the installed package. Its code is minified, so the frames are not informative. */
const OWN_FRAME = /[/\\]fauxgate[/\\]dist[/\\]/

/** Matches frames outside Node itself. */
const FRAME_WITH_PLACE = /^\s*at (?!.*\(?(?:node:|<anonymous>)).*:\d+/

/**
 * Removes the package's frames from the stack of an error caused by the caller, so that test runners show the caller's line. Returns the
 * error. If it has no other frames, its stack is unchanged.
 */
export function atCaller<E extends Error>(error: E): E {
  const { stack } = error
  const without = stack === undefined ? undefined : withoutOwnFrames(stack)
  if (without !== stack) Reflect.defineProperty(error, 'stack', { value: without, writable: true, configurable: true })
  return error
}

/** Removes the package's frames below the first frame. Such frames belong to a test's wrapper, and don't help the reader. */
export function withoutWrapperFrames(stack: string): string {
  const first = stack.split('\n').find((line) => /^\s*at /.test(line))
  return first !== undefined && OWN_FRAME.test(first) ? stack : withoutOwnFrames(stack)
}

/** Removes the package's frames from a stack, unless there are no others. */
function withoutOwnFrames(stack: string): string {
  if (!OWN_FRAME.test(stack)) return stack
  const others = stack.split('\n').filter((line) => !(/^\s*at /.test(line) && OWN_FRAME.test(line)))
  return others.some((line) => FRAME_WITH_PLACE.test(line)) ? others.join('\n') : stack
}
