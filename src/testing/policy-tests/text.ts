import { escapeUnprintable } from '../../core/schema/text.ts'
import type { PolicyTestResult } from './run.ts'

/** Describes each difference of a test. */
export function describeDifferences({ differences }: PolicyTestResult): readonly string[] {
  return differences.map(({ what, expected, received }) => `${what}: expected ${expected}, received ${received}`)
}

/** Describes why a policy test failed: each difference, and then the trace of the request. */
export function describeFailure(result: PolicyTestResult): string {
  const { request, trace } = result
  const lines = describeDifferences(result).map((line) => `  ${line}`)
  const traced = trace === '' ? [] : [`  the trace of the request:`, ...trace.split('\n').map((line) => `    ${line}`)]
  return escapeUnprintable([request, ...lines, ...traced].join('\n'))
}
