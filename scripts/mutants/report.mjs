import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What became of a mutant that a test has noticed. */
export const NOTICED = ['killed', 'timeout', 'crashed']

const oneLine = (text) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 110 ? `${line.slice(0, 107)}...` : line
}

/** The text of the source that a mutant replaces. */
function originalOf(lines, { start, end }) {
  const part = lines.slice(start.line, end.line + 1)
  if (part.length === 0) return ''
  part[part.length - 1] = part.at(-1).slice(0, end.column)
  part[0] = part[0].slice(start.column)
  return part.join(' ')
}

function tally(rows) {
  const count = (...statuses) => rows.filter(({ status }) => statuses.includes(status)).length
  const noticed = count(...NOTICED)
  return {
    tried: rows.length,
    noticed,
    timeouts: count('timeout', 'crashed'),
    unreached: count('no coverage'),
    percent: (100 * noticed) / rows.length,
  }
}

const tableOf = (title, groups) => {
  const width = Math.max(title.length, ...groups.map(([name]) => name.length))
  const head = `${title.padEnd(width)}  noticed / tried  percent  by its end  reached by none`
  const rows = groups.map(([name, { tried, noticed, timeouts, unreached, percent }]) => {
    const cells = [
      [`${noticed} / ${tried}`, 15],
      [percent.toFixed(1), 7],
      [timeouts, 10],
      [unreached, 15],
    ]
    return `${name.padEnd(width)}  ${cells.map(([value, size]) => String(value).padStart(size)).join('  ')}`
  })
  return [head, ...rows].join('\n')
}

/** Prints the scores per room and per file, and writes them with all survivors to `mutants.txt` and `mutants.json`. */
export async function report({ root, out, mutants, results, roomOf, seed, without }) {
  const outcomes = new Map(results.filter(({ done }) => done !== undefined).map((line) => [line.done, line]))
  const sources = new Map()
  const linesOf = (file) => {
    if (!sources.has(file)) sources.set(file, readFileSync(join(root, file), 'utf8').split('\n'))
    return sources.get(file)
  }
  const rows = mutants.map(({ id, fileName, location, mutatorName, replacement }) => ({
    file: fileName,
    line: location.start.line + 1,
    column: location.start.column + 1,
    mutator: mutatorName,
    original: originalOf(linesOf(fileName), location),
    replacement,
    ...{ status: 'no result', ...outcomes.get(id) },
  }))
  rows.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column))
  const grouped = (nameOf) => {
    const names = [...new Set(rows.map(nameOf))].sort()
    return names.map((name) => [name, tally(rows.filter((row) => nameOf(row) === name))])
  }
  const rooms = [...grouped(({ file }) => roomOf(file)), ['all', tally(rows)]]
  const files = grouped(({ file }) => file)
  const survivors = rows
    .filter(({ status }) => !NOTICED.includes(status))
    .map(({ file, line, column, mutator, original, replacement, status, isLoaded }) => {
      const note = [status === 'survived' ? '' : status, isLoaded ? 'at load' : ''].filter(Boolean).join(', ')
      const change = `${oneLine(original)}  ->  ${oneLine(replacement) || '(nothing)'}`
      return `${file}:${line}:${column}  ${mutator}${note && ` (${note})`}  ${change}`
    })
  const leftOut = Object.entries(without).map(([room, why]) => `${room} is left out: ${why}.\n`)
  const tables = `${leftOut.join('')}\n${tableOf('room', rooms)}\n\n${tableOf('file', files)}\n`
  console.log(`\n${tables}\n${survivors.length} mutants were noticed by no test.`)
  writeFileSync(join(out, 'mutants.txt'), `${tables}\nSeed ${seed}. What no test noticed:\n\n${survivors.join('\n')}\n`)
  const shown = rows.map(({ done, ...row }) => row)
  writeFileSync(join(out, 'mutants.json'), JSON.stringify({ seed, rooms, files, mutants: shown }, null, 1))
}
