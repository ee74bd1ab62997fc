import { escapeUnprintable, formatCount } from '../../core/schema/text.ts'
import type { PolicyTestResult } from '../../testing/policy-tests/run.ts'
import { describeDifferences, describeFailure } from '../../testing/policy-tests/text.ts'
import {
  githubCommand,
  githubProblem,
  junitFile,
  junitWarnings,
  type Paint,
  renderProblem,
  toJson,
  xml,
} from './render.ts'
import { countOutcomes, listUnreached, percentOf, type TestedFile } from './tested-file.ts'

/** The output formats of `policy test`, by name. */
export const TEST_FORMATS = { text: renderText, json: renderJson, junit: renderJunit, github: renderGithub }

const hasFailed = ({ differences }: PolicyTestResult) => differences.length > 0

function renderText(files: readonly TestedFile[], paint: Paint): string {
  const blocks = files.map((each) =>
    [
      paint('bold', each.file),
      ...each.results.map((one) => renderResult(one, paint)),
      ...renderCoverage(each, paint),
      ...each.warnings.map((warning) => renderProblem(warning, each.policyFile, paint)),
    ].join('\n'),
  )
  const results = files.flatMap((each) => each.results)
  const failed = results.filter(hasFailed).length
  const count = `${results.length - failed} passed, ${failed} failed`
  return `${blocks.map((block) => `${block}\n\n`).join('')}${paint(failed > 0 ? 'red' : 'green', count)}\n`
}

function renderResult(result: PolicyTestResult, paint: Paint): string {
  const name = escapeUnprintable(result.name)
  const failures = result.failures.map((each) => paint('yellow', `\n      ${escapeUnprintable(each)}`)).join('')
  if (!hasFailed(result)) return `  ${paint('green', '✓')} ${name}${failures}`
  return `  ${paint('red', '✗')} ${name}\n${describeFailure(result).replace(/^/gm, '      ')}${failures}`
}

function renderCoverage({ policyFile, rules }: TestedFile, paint: Paint): string[] {
  const applied = rules.filter(({ wasReached }) => wasReached).length
  const { all, reached, unenforced } = countOutcomes(rules)
  const of = `of ${formatCount(all, 'outcome')} of rules and actions${unenforced > 0 ? `, ${unenforced} of them not enforced` : ''}`
  const head = `  ${applied} of ${formatCount(rules.length, 'rule')} of ${policyFile} applied, with ${reached} ${of}`
  const missing = listUnreached(rules)
  if (missing.length === 0) return [paint('dim', `${head}.`)]
  const lines = missing.map(({ line, what }) => paint('yellow', `    line ${line}: ${escapeUnprintable(what)}`))
  return [paint('dim', `${head}. No test reached:`), ...lines]
}

function renderJson(files: readonly TestedFile[], _paint: Paint): string {
  const results = files.flatMap((each) => each.results)
  const failed = results.filter(hasFailed).length
  return `${JSON.stringify({ passed: results.length - failed, failed, files: files.map(describe) }, null, 2)}\n`
}

function describe(file: TestedFile): object {
  const warnings = file.warnings.map((each) => toJson(each, file.policyFile))
  return { ...file, warnings, reached: percentOf(file.rules) }
}

function renderJunit(files: readonly TestedFile[], _paint: Paint): string {
  return junitFile(
    'fauxgate policy test',
    files.map(({ file, policyFile, results, warnings }) => ({
      name: file,
      output: junitWarnings(warnings, policyFile),
      failures: results.filter(hasFailed).length,
      cases: results.map((result) => {
        const message = describeDifferences(result).join('; ')
        const failure = message && `<failure message="${xml(message)}">${xml(describeFailure(result))}</failure>`
        const failures = result.failures.length > 0 ? `<system-out>${xml(result.failures.join('\n'))}</system-out>` : ''
        return `    <testcase classname="${xml(file)}" name="${xml(result.name)}" file="${xml(file)}" line="${result.line}">${failure}${failures}</testcase>`
      }),
    })),
  )
}

function renderGithub(files: readonly TestedFile[], _paint: Paint): string {
  const failures = files.flatMap(({ file, results }) =>
    results.flatMap((result) => [
      ...(hasFailed(result)
        ? [githubCommand('error', { file, line: result.line, title: result.name }, describeFailure(result))]
        : []),
      ...result.failures.map((each) => githubCommand('warning', { file, line: result.line, title: result.name }, each)),
    ]),
  )
  const unreached = files.flatMap(({ policyFile, rules }) =>
    listUnreached(rules).map(({ line, what }) =>
      githubCommand('notice', { file: policyFile, line }, `No test reaches ${what}.`),
    ),
  )
  const warnings = files.flatMap(({ policyFile, warnings: all }) => all.map((each) => githubProblem(each, policyFile)))
  return [...failures, ...warnings, ...unreached].join('')
}
