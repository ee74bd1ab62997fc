import { escapeUnprintable } from '../../core/schema/text.ts'
import type { PolicyTestResult } from './run.ts'

/** Describes why a test of a policy failed: each difference, and then the trace of the request. */
export function describeFailure({ request, differences, trace }: PolicyTestResult): string {
  const lines = differences.map(
    ({ what, expected, received }) => `  ${what}: expected ${expected}, received ${received}`,
  )
  const traced = trace === '' ? [] : [`  the trace of the request:`, ...trace.split('\n').map((line) => `    ${line}`)]
  return escapeUnprintable([request, ...lines, ...traced].join('\n'))
}
