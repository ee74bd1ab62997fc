import { RE2JS } from 're2js'
import { cut } from '../../core/schema/text.ts'

/** The longest pattern that is read. RE2 itself refuses patterns that need too much memory. */
const MAX_LENGTH = 10_000

/** Returns the reason for which a text is no pattern of RE2, which has no look-around and no back references; undefined if it is one. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > MAX_LENGTH) return `it has ${pattern.length} characters, and at most ${MAX_LENGTH} are allowed`
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    return explainPattern(error instanceof Error ? error.message : String(error))
  }
}

function explainPattern(message: string): string {
  const [, reason = 'it cannot be parsed', part = ''] = /^error parsing regexp: ([^:`]*)(?::? ?`([^`]*)`)?/.exec(message) ?? []
  if (/^\(\?<?[=!]/.test(part)) return `look-around, such as ${cut(part, 20)}, does not exist in RE2`
  if (/^\\[1-9]/.test(part)) return `back references, such as ${cut(part, 20)}, do not exist in RE2`
  return part === '' ? reason.trim() : `${reason.trim()}: ${cut(part, 40)}`
}
