import { escapeUnprintable, formatCount } from '../../core/schema/text.ts'
import type { CheckedFile, FileProblem } from '../../service/policy/files/check-file.ts'
import { codeOfProblem } from '../../service/policy/problem.ts'
import type { createPainter } from '../log/log.ts'

/** A checked file, with the name to show for it. */
export interface ReportedFile extends CheckedFile {
  readonly file: string
}

/** A function that colors a string. */
export type Paint = ReturnType<typeof createPainter>

/** The output formats of `policy check`, by name. */
export const FORMATS = { text: renderText, json: renderJson, junit: renderJunit, github: renderGithub }

/** Returns the code of a problem. For a file without a policy, it is `unreadable`. */
const codeOf = (problem: FileProblem) => codeOfProblem(problem) || 'unreadable'

function count(files: readonly ReportedFile[]) {
  const problems = files.flatMap((each) => each.problems)
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const policies = files.flatMap((each) => each.policies).length
  return { files: files.length, policies, errors, warnings: problems.length - errors }
}

function renderText(files: readonly ReportedFile[], paint: Paint): string {
  const blocks = files.flatMap(({ file, problems }) => problems.map((problem) => renderProblem(problem, file, paint)))
  const { errors, warnings, policies } = count(files)
  const found =
    errors + warnings === 0
      ? 'No problems'
      : [errors > 0 ? formatCount(errors, 'error') : '', warnings > 0 ? formatCount(warnings, 'warning') : '']
          .filter(Boolean)
          .join(' and ')
  const where = `${formatCount(policies, 'policy', 'policies')} of ${formatCount(files.length, 'file')}`
  const style = errors > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green'
  return `${blocks.map((block) => `${block}\n\n`).join('')}${paint(style, found)} in ${where}.\n`
}

/** The maximum number of characters to show per line. A longer line is shown only around the problem. */
const MAX_WIDTH = 100

export function renderProblem(problem: FileProblem, file: string, paint: Paint): string {
  const { severity, line, column, endLine, endColumn, message, hint, docs, policy, source } = problem
  const isError = severity === 'error'
  const head = `${paint('bold', `${printable(file)}:${line}:${column}`)}: ${paint(isError ? 'red' : 'yellow', severity)}: ${printable(message)} ${paint('dim', `[${codeOf(problem)}]`)}`
  const start = column > MAX_WIDTH * 0.8 ? column - 1 - MAX_WIDTH / 2 : 0
  const shown = source.slice(start, start + MAX_WIDTH)
  const length = Math.max(1, (endLine === line ? endColumn : source.length + 1) - column)
  const before = shown.slice(0, column - 1 - start)
  const gutter = ' '.repeat(String(line).length)
  // Tabs stay so that the caret is below its character, whatever the tab width.
  const caret = `${before.replace(/[^\t]/g, (character) => (isWide(character) ? '  ' : ' '))}${'^'.repeat(Math.min(length, Math.max(1, shown.length - before.length)))}`
  return [
    head,
    ...(source === ''
      ? []
      : [
          `${paint('dim', `${line} |`)} ${printable(shown)}`,
          `${paint('dim', `${gutter} |`)} ${paint(isError ? 'red' : 'yellow', caret)}`,
        ]),
    ...(policy === '' ? [] : [`${gutter} ${paint('dim', `in ${policy}`)}`]),
    ...(hint === undefined ? [] : [`${gutter} ${paint('cyan', 'hint:')} ${printable(hint)}`]),
    ...(docs === undefined ? [] : [`${gutter} ${paint('dim', docs)}`]),
  ].join('\n')
}

/** Returns whether a terminal displays a character two columns wide. */
const isWide = (character: string) =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(character)

/** Returns a string without terminal control characters. Keeps tabs. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
  const shown = text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, ' ')
  return shown.split('\t').map(escapeUnprintable).join('\t')
}

function renderJson(files: readonly ReportedFile[], _paint: Paint): string {
  const problems = files.flatMap(({ file, problems: all }) => all.map((each) => toJson(each, file)))
  return `${JSON.stringify({ ...count(files), problems }, null, 2)}\n`
}

/** Returns a problem in machine-readable form. */
export function toJson(problem: FileProblem, file: string): object {
  const { number: _number, rule: _rule, within: _within, ...rest } = problem
  return { file, code: codeOf(problem), ...rest }
}

function renderJunit(files: readonly ReportedFile[], _paint: Paint): string {
  const suites = files.map(({ file, policies, problems }) => {
    // A problem with the file itself does not belong to a policy.
    const names = [...new Set([...policies, ...problems.map(({ policy }) => policy)])]
    const failed = problems.filter(({ severity }) => severity === 'error')
    const cases = names.map((name) => {
      const own = problems.filter(({ policy }) => policy === name)
      const failures = own
        .filter(({ severity }) => severity === 'error')
        .map(
          (each) =>
            `<failure type="${codeOf(each)}" message="${xml(each.message)}">${xml(toLine(each, file))}</failure>`,
        )
      const output = junitWarnings(
        own.filter(({ severity }) => severity === 'warning'),
        file,
      )
      return `    <testcase classname="${xml(file)}" name="${xml(name || 'traffic policy')}" file="${xml(file)}">${failures.join('')}${output}</testcase>`
    })
    return { name: file, cases, failures: new Set(failed.map(({ policy }) => policy)).size }
  })
  return junitFile('fauxgate policy check', suites)
}

function toLine({ line, column, message, hint }: FileProblem, file: string): string {
  return `${file}:${line}:${column}: ${message}${hint ? ` ${hint}` : ''}`
}

/** Returns the XML element with the warnings, or an empty string if there are none. */
export function junitWarnings(warnings: readonly FileProblem[], file: string): string {
  const lines = warnings.map((each) => `${toLine(each, file)} [${codeOf(each)}]`)
  return lines.length > 0 ? `<system-out>${xml(lines.join('\n'))}</system-out>` : ''
}

interface JunitSuite {
  readonly name: string
  /** The XML elements of the test cases. */
  readonly cases: readonly string[]
  readonly failures: number
  /** The XML element with the output of the suite. */
  readonly output?: string
}

/** Returns a JUnit file. */
export function junitFile(name: string, suites: readonly JunitSuite[]): string {
  const all = suites.map(
    ({ name: suite, cases, failures, output }) =>
      `  <testsuite name="${xml(suite)}" tests="${cases.length}" failures="${failures}">\n${[...cases, ...(output ? [`    ${output}`] : [])].join('\n')}\n  </testsuite>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(name)}">\n${all.join('\n')}\n</testsuites>\n`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

export function xml(text: string): string {
  return text
    .split('\n')
    .map(printable)
    .join('\n')
    .replace(/[&<>"\n]/g, (character) => ENTITIES[character] ?? character)
}

function renderGithub(files: readonly ReportedFile[], _paint: Paint): string {
  return files.flatMap(({ file, problems }) => problems.map((each) => githubProblem(each, file))).join('')
}

export function githubProblem(problem: FileProblem, file: string): string {
  const { severity, line, endLine, column, endColumn, message, hint, docs } = problem
  const place = { file, line, endLine, col: column, ...(endLine === line && { endColumn }), title: codeOf(problem) }
  return githubCommand(severity, place, [message, hint, docs].filter(Boolean).join('\n'))
}

/** Returns a GitHub workflow command, which GitHub shows at its line in a pull request. */
export function githubCommand(
  kind: 'error' | 'warning' | 'notice',
  place: Readonly<Record<string, string | number>>,
  text: string,
): string {
  const data = (part: string) => part.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (part: string) => data(part).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const properties = Object.entries(place).map(([key, value]) => `${key}=${property(String(value))}`)
  return `::${kind} ${properties.join(',')}::${data(text)}\n`
}
