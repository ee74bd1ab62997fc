import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Returns the path of a file without symbolic links, whether it exists or not.
 * @throws Error if it is a symbolic link to a file that does not exist, or if its folder does not exist.
 */
export function realFile(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })) return realpathSync(file)
  if (lstatSync(file, { throwIfNoEntry: false })) throw new Error('it is a symbolic link to a file that does not exist')
  const folder = dirname(file)
  if (!statSync(folder, { throwIfNoEntry: false })) throw new Error('its folder does not exist')
  return join(realpathSync(folder), basename(file))
}
