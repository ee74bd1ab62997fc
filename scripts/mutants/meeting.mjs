import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const COMMAND = 'src/server/cli.ts'

/** Those of the inspector and of the sandbox need a browser and workerd; those of the tools run other runs. */
const TESTS = /^test\/(?!inspector\/|sandbox\/|tooling\/).*\.test\.ts$/

/** What holds what is said of everything, wherever that stands. */
export const isOfEverything = (test) => test === 'test/docs/reference.test.ts'

/**
 * The tests that can meet one of some sources, by what they import, name in a text, or start, and what that imports: the
 * others need not be run. With each, the sources that it names itself, or a file that tests share, and what those have from
 * their own room.
 */
export function testsMeeting(folder, files, sources) {
  const known = new Set(files)
  const led = new Map()
  const leadsTo = (file) => {
    if (!led.has(file)) led.set(file, namedIn(readFileSync(join(folder, file), 'utf8'), file, known))
    return led.get(file)
  }
  const closure = (file, isFollowed) => {
    const met = new Set([file])
    for (const each of met) if (isFollowed(each)) for (const next of leadsTo(each)) met.add(next)
    return [...met].filter((each) => wanted.has(each))
  }
  const wanted = new Set(sources)
  const tests = files.filter((file) => TESTS.test(file) && closure(file, () => true).length > 0)
  const named = (file) => closure(file, (each) => each.startsWith('test/'))
  // What a source has from its own room is as good as named: tables are made of the files beside them.
  const inRooms = (file) => {
    if (isOfEverything(file)) return closure(file, () => true)
    const rooms = new Set(named(file).map(roomOf))
    return closure(file, (each) => each.startsWith('test/') || rooms.has(roomOf(each)))
  }
  return new Map(tests.map((file) => [file, inRooms(file)]))
}

const roomOf = (file) => file.split('/').slice(0, 2).join('/')

/** The files that a text names: from where it stands, from the repository, or from `src/`; of a folder of tests, all. */
function namedIn(text, file, known) {
  const named = new Set(/\binject\('command'\)/.test(text) ? [COMMAND] : [])
  for (const [, path] of text.matchAll(/['"`]([\w./-]+\w)['"`]/g)) {
    const places = [join(dirname(file), path), join(path), join('src', path)]
    for (const place of places) if (known.has(place)) named.add(place)
    const own =
      /^test\/.*\w$/.test(places[0]) && path.includes('fixtures/')
        ? [...known].filter((each) => each.startsWith(`${places[0]}/`))
        : []
    for (const each of own) named.add(each)
  }
  // Sources import nothing from the tests, and what documents show stands in texts of its own.
  for (const [, path] of text.matchAll(/from '\.\/(src\/[\w./-]+)'/g)) if (known.has(path)) named.add(path)
  return named
}
