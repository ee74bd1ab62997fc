/** The location of a call in a test file. */
export interface TestPlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The location of a call, in the source and in the file that the platform runs. A transformed file has different lines. */
export interface CallPlace {
  readonly source: TestPlace
  readonly run: TestPlace
}

const FRAME = /^\s*at (?:.* \()?(.+):(\d+):(\d+)\)?$/

/** Returns the location where a function was called, or undefined if the platform does not provide it. */
export function findCaller(called: (...args: never[]) => unknown): CallPlace | undefined {
  const trace: { stack?: string } = {}
  Error.captureStackTrace?.(trace, called)
  const [, file, line, column] = FRAME.exec(trace.stack?.split('\n')[1] ?? '') ?? []
  if (!file) return undefined
  const source = { file, line: Number(line), column: Number(column) }
  return { source, run: placeBeforeSourceMaps(called) ?? source }
}

/** Returns the location without source maps. Jest maps the lines of every stack, and would map an already mapped line again. */
function placeBeforeSourceMaps(called: (...args: never[]) => unknown): TestPlace | undefined {
  const { prepareStackTrace } = Error
  const places: (TestPlace | undefined)[] = []
  const trace: { stack?: unknown } = {}
  try {
    Error.prepareStackTrace = (_, [site]) => places.push(toTestPlace(site))
    Error.captureStackTrace(trace, called)
    void trace.stack // Some platforms call prepareStackTrace at the first access.
  } finally {
    Error.prepareStackTrace = prepareStackTrace
  }
  return places[0]
}

/** The part of V8's CallSite that this file uses. */
interface Site {
  getFileName(): string | null | undefined
  getLineNumber(): number | null
  getColumnNumber(): number | null
}

function toTestPlace(site: Site | undefined): TestPlace | undefined {
  const [file, line, column] = [site?.getFileName(), site?.getLineNumber(), site?.getColumnNumber()]
  return file && line && column ? { file, line, column } : undefined
}

/**
 * Calls a runner's function as if from a line in the test file. node:test and Jest show the caller as the location of the test. Otherwise,
 * they would show a line of fauxgate.
 */
export function callFrom(
  place: CallPlace | undefined,
  call: (...args: unknown[]) => unknown,
  args: readonly unknown[],
) {
  const compiled = place && compileCaller(place.run)
  return compiled ? compiled(call, args) : call(...args)
}

/** Compiles a function that calls another function from a line of a file. Returns undefined on a platform without node:vm. */
function compileCaller({ file, line, column }: TestPlace) {
  try {
    const code = `return (\n${' '.repeat(column - 1)}call(...args))`
    const vm = globalThis.process?.getBuiltinModule?.('node:vm')
    return vm?.compileFunction(code, ['call', 'args'], { filename: file, lineOffset: line - 2 })
  } catch {
    return undefined
  }
}
