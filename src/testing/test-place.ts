/** The place of a call in a test file. */
export interface TestPlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** The place of a call in the source, and in the file that the platform runs: a transformed file has other lines. */
export interface CallPlace {
  readonly source: TestPlace
  readonly run: TestPlace
}

const FRAME = /^\s*at (?:.* \()?(.+):(\d+):(\d+)\)?$/

/** Returns the place where a function was called; undefined if the platform does not tell. */
export function placeOfCaller(called: (...args: never[]) => unknown): CallPlace | undefined {
  const here: { stack?: string } = {}
  Error.captureStackTrace?.(here, called)
  const [, file, line, column] = FRAME.exec(here.stack?.split('\n')[1] ?? '') ?? []
  if (!file) return undefined
  const source = { file, line: Number(line), column: Number(column) }
  return { source, run: placeBeforeSourceMaps(called) ?? source }
}

/** Returns the place without source maps. Jest maps the lines of every stack, and would map a mapped line again. */
function placeBeforeSourceMaps(called: (...args: never[]) => unknown): TestPlace | undefined {
  const { prepareStackTrace } = Error
  const places: (TestPlace | undefined)[] = []
  const here: { stack?: unknown } = {}
  try {
    Error.prepareStackTrace = (_, [site]) => places.push(placeOf(site))
    Error.captureStackTrace(here, called)
    void here.stack // Some platforms call prepareStackTrace at the first access.
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

function placeOf(site: Site | undefined): TestPlace | undefined {
  const [file, line, column] = [site?.getFileName(), site?.getLineNumber(), site?.getColumnNumber()]
  return file && line && column ? { file, line, column } : undefined
}

type Call = (call: (...args: unknown[]) => unknown, args: readonly unknown[]) => unknown

/**
 * Calls a function of a runner as if the line of the test file had called it. Node:test and Jest show the caller as the place
 * of the test, and without this function the caller would be a line of fauxgate.
 */
export function callFrom(
  place: CallPlace | undefined,
  call: (...args: unknown[]) => unknown,
  args: readonly unknown[],
) {
  return callerAt(place?.run)(call, args)
}

function callerAt(place: TestPlace | undefined): Call {
  const plain: Call = (call, args) => call(...args)
  if (!place) return plain
  try {
    const code = `return (\n${' '.repeat(place.column - 1)}call(...args))`
    const options = { filename: place.file, lineOffset: place.line - 2 }
    const vm = globalThis.process?.getBuiltinModule?.('node:vm')
    return (vm?.compileFunction(code, ['call', 'args'], options) as Call | undefined) ?? plain // The code above has this type.
  } catch {
    // On another platform, `process` may lack node:vm.
    return plain
  }
}
