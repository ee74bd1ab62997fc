import type { Gateway } from '../gateway/gateway.ts'
import type { Installed, InstallOptions } from '../http/install.ts'
import { assertStrict } from './strict.ts'

/** What runners show of an error: some the message, some the stack, which begins with it. */
export interface Shown {
  message: string
  stack?: string
}

const PASSED = 'The test itself passed. What it left, which `strict: false` allows:'

/** Throws what a test that passed has left. */
export function requireStrict(gateway: Gateway): void {
  try {
    assertStrict(gateway)
  } catch (error) {
    const { name, message } = error as Error // Nothing else is thrown there.
    const found = new Error(`${PASSED}\n${message}`)
    // No line of the test is to blame, and none of this file.
    throw Object.assign(found, { name, stack: `${name}: ${found.message}` })
  }
}

/** Puts what happened at the gateway behind what failed. */
export function explain(error: Shown | undefined, gateway: Gateway): void {
  if (!error) return
  const { message, stack } = error
  // A matcher of ours says it itself.
  if (/^The gateway at /m.test(message)) return
  const told = `${message}\n\n${reportBehind(message, gateway)}\n`
  put(error, 'message', told)
  if (stack)
    put(
      error,
      'stack',
      stack.replace(message, () => told),
    )
}

/** Sets a text of an error; not of one that is frozen. The message of a DOMException, as of an abort, has only a getter. */
function put(error: Shown, name: keyof Shown, value: string): void {
  Reflect.defineProperty(error, name, { value, writable: true, configurable: true })
}

/** The report, without what is still on order where the message says just that. */
function reportBehind(message: string, gateway: Gateway): string {
  const report = gateway.report()
  return message.startsWith(PASSED) ? report.replace(/\n {2}on order:(?:\n {4}.*)*/, '') : report
}

/** Takes a gateway out again wherever a test installed it: the function does so, once the test is over. */
export function installedForNow(gateway: Gateway): () => void {
  const { install } = gateway
  const installed: Installed[] = []
  gateway.install = (options?: InstallOptions) => {
    const each = install(options)
    installed.push(each)
    return each
  }
  return () => {
    for (const each of installed) each.uninstall()
  }
}
