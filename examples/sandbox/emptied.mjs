import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = 4096

/**
 * Removes the files of sandboxes that are no more and returns how many: workerd empties the database of an object that deletes
 * everything, and leaves its first page. Removes nothing while workerd has the folder open, or where it was killed.
 */
export function removeEmptied(folder) {
  if (!existsSync(folder) || existsSync(join(folder, 'metadata.sqlite-wal'))) return 0
  const emptied = readdirSync(folder)
    .filter((name) => /^[0-9a-f]+\.sqlite$/.test(name))
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).size === PAGE && !existsSync(`${file}-wal`) && hasNoTables(readFileSync(file)))
  for (const file of emptied) rmSync(file)
  return emptied.length
}

/** Tells whether the first page, which begins with a head of 100 bytes, is a list of tables with none in it. */
function hasNoTables(page) {
  return page[100] === 0x0d && page.readUInt16BE(103) === 0
}
